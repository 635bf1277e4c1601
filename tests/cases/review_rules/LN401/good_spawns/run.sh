#!/bin/bash
python train_fsdp.py
