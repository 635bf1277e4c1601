"""What HTTP and MCP share: the operations, their inputs, small results, whose thread it is, which paths may be read.

`operations.py` is the table; a door turns its own form of a call into an input, calls the
operation with the caller's desk, and turns the result or the error into its own form of
an answer.
"""
