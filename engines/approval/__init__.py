"""Approval: judging what a person, or somebody posing as one, answered.

Denied by default. `judge.py` holds the one way from an answer to an Approval record.
"""
