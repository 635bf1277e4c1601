"""Review: FSDP mistakes in training code, configuration, launch scripts and plans.

```
engine.py       review_paths, review_source: files in, findings out
plan.py         review_plan: does a plan agree with itself and with what it would start?
sources.py      which files are read, within bounds; notebook.py: the code in notebooks
flow/           what Python code would call, on what, in which order (an abstract interpreter)
rule.py registry.py rules/   one rule, one file
suppression.py  `# fsdp: ignore[FSDP001] reason`
versions.py     the version of torch that the code is for
```
Nothing of the reviewed code is imported or run. Where the reading cannot follow, it says
nothing; what it gave up on is listed as `not_followed`.
"""
