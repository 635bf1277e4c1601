#!/bin/bash
accelerate launch train.py
pip install torchrun-extras
