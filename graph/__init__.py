"""The graph: what a thread remembers, which node follows which, and where it is kept.

`build.py` is the topology and exports `graph` without a checkpointer: the LangGraph
server brings its own, the command line opens `checkpoint.open_saver`. Nothing is
re-exported here; `graph.graph` would be a circular import for the server's loader.
"""
