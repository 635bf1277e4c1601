"""Nodes: one verb, one file. State in, an engine or the runner called, state out.

A node declares in its own file the keys that it reads and those that it writes, and
names no other node: the edges are the graph's. Errors of a user's making become the
state key `error`, so that a thread ends with a sentence and not with a traceback.
"""
