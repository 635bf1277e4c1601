"""The workflows for n8n, and what puts them into one: its public API, or its own command.

`workflows.py` reads the files of this folder and fills in the server's address and the
credentials; `api.py` and `command.py` are the two ways in. See docs/doors/n8n.md.
"""
