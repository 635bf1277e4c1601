"""Mending: what to change so that a run that failed of a known cause can go on.

A cause has cures: settings of the recipe, of the launch, or lines of the user's script. Each has
preconditions, and where they do not hold there is no cure: a person has to decide then. Nothing
is read or run here: texts, numbers and findings are handed in.
"""
