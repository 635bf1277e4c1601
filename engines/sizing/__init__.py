"""Sizing: how much memory a training run takes, and which configuration fits.

A model's shape (`shape`, `hf_config`) and a run's settings (`setup`) go in; a
prediction of the peak memory with its arithmetic (`estimate`), a plan with a reason
for every choice (`choose`) or a line for each recorded run (`rows`) come out.
"""
