"""Artefacts: a plan's settings in the words of each framework, as files that run.

One file for each form: an FSDP2 snippet, accelerate, Trainer, torchtitan, torchtune, torchrun,
Slurm, Kubeflow Trainer on Kubernetes, SkyPilot. `write` knows them all. They say the same thing
in different words, and where a framework cannot say it, the file says so.
"""
