"""Search: the best configurations for a goal, over all the knobs.

`space` says which knobs there are and which values of them go together; `option` is one
configuration with its rough and its exact prediction; `find` looks through them: the closed
form judges all, the allocation trace the best.
"""
