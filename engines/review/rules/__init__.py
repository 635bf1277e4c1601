"""One rule, one file: `RULE` says what it is, `check` yields its hits.

What a mistake does and why is on the knowledge card that has the rule's slug; a rule holds
only how it is seen and when it must stay silent.
"""
