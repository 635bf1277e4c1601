"""What langgraph.json names as the server's own application: the same routes, inside the LangGraph server."""

from contracts.settings import Settings
from interfaces.http.app import make_app

app = make_app(Settings())
"""Its gate is the outermost middleware, so it stands before the server's own routes too."""
