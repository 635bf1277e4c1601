#!/bin/bash
torchrun train.py --config cfg.yaml  # <- LN402
