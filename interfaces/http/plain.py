"""`serve --plain`: `/fsdp/v1` and `/fsdp/mcp` alone, on Starlette and uvicorn, with the SQLite threads.

It does the same as inside the LangGraph server, without that server and its licence.
"""

import socket

import uvicorn
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from contracts.errors import RunnerError
from contracts.settings import Settings
from graph.owner_config import load_owner_config
from interfaces.http.app import make_app


def serve_plain(settings: Settings, listener: socket.socket) -> None:
    """Serve until a signal ends it.

    Args:
        settings: Home folder and training interpreter.
        listener: What `listen` returned.

    Raises:
        NotAllowed: The owner's configuration cannot be trusted.
    """
    config = load_owner_config()
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(config.origins),
        allow_origin_regex=r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?",
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type", "x-fsdp-approver", "x-api-key"],
    )
    app = make_app(settings, (cors,), alone=True)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=10)
    )
    server.run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or say that the port is taken.

    Raises:
        RunnerError: Another program listens there, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise RunnerError(
            f"cannot listen on {host}:{port}: {error.strerror}", code="port_taken", hint="choose another with --port"
        ) from None
    return listener
