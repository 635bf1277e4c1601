"""A second store on a port that is taken fails with EADDRINUSE; port 0 finds a free one."""

import socket

import torch.distributed as dist
from _lab import raises

PROCESS_GROUP = False
WORLD_SIZE = 1


def probe(rank, world_size):
    """Take a port and start a store on it, as rank 0 of a second job would."""
    taken = socket.socket()
    taken.bind(("", 0))
    taken.listen()
    port = taken.getsockname()[1]
    message = raises(RuntimeError, "EADDRINUSE", lambda: dist.TCPStore("127.0.0.1", port, 1, True))
    assert f"port: {port}" in message, message
    free = dist.TCPStore("127.0.0.1", 0, 1, True)
    assert free.port not in (0, port)
    return {"port taken": "DistNetworkError: ... EADDRINUSE, with the port", "port 0": "a free port"}
