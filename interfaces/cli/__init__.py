"""The command line: one file for each group of commands, and what they share.

A command calls one operation of the service, prints its answer (people read text, with
`--json` a program reads one object) and returns an exit code of `exits.py`.
"""
