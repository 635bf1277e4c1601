"""The doors: how people and programs reach the agent. Each is thin.

`service*.py` holds the operations that every door shares, typed in and out; `owner.py`
what the machine's owner permits; `cli/` the command line. LangGraph is imported only by
the operations that drive the graph, when they are called.
"""
