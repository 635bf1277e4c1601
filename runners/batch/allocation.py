"""The nodes that Slurm gave, seen from the batch step on the first of them. Standard library only."""

import fcntl
import os
import socket
import struct
from typing import NamedTuple

from runners.batch.calls import call
from runners.batch.jobs import scontrol_fields

_FIRST_PORT, _PORTS = 15_000, 10_000
"""Ports below those that the kernel gives to whoever asks for any (32768 on)."""
_GET_ADDRESS = 0x8915
"""SIOCGIFADDR of Linux."""
_TRIES = 256


class Allocation(NamedTuple):
    """What this job has."""

    job_id: int
    """Number of the job."""
    restarts: int
    """How often it has gone back into the queue."""
    nodes: tuple[str, ...]
    """Names of its nodes, the first one is this."""


def read_allocation() -> Allocation:
    """Return the allocation of the job that this process belongs to.

    Raises:
        KeyError: This is no Slurm job.
    """
    listed = call(["scontrol", "show", "hostnames", os.environ["SLURM_JOB_NODELIST"]])
    nodes = tuple(listed.output.split()) or (os.environ.get("SLURMD_NODENAME", socket.gethostname()),)
    return Allocation(int(os.environ["SLURM_JOB_ID"]), int(os.environ.get("SLURM_RESTART_COUNT", "0")), nodes)


def meeting_address(allocation: Allocation, interface: str | None) -> str:
    """Return the address at which the ranks meet, on this node.

    Args:
        allocation: The nodes.
        interface: The network interface that was asked for.

    Raises:
        OSError: This node has no such interface, or it has no IPv4 address.
    """
    if interface is not None:
        return _address_of(interface)
    answer = call(["scontrol", "show", "node", "-o", allocation.nodes[0]])
    # the address by which slurmctld reaches the node: on some sites its name resolves nowhere
    address = scontrol_fields(answer.output).get("NodeAddr", "")
    return address or socket.gethostname()


def free_port(job_id: int, number: int) -> int:
    """Return a port that is free on this node, other for each job and each start.

    Args:
        job_id: Number of the job: jobs that share a node begin to look at different places.
        number: The start; what the one before left in TIME_WAIT is not met.

    Raises:
        OSError: 256 ports in a row are taken.
    """
    for attempt in range(_TRIES):
        port = _FIRST_PORT + (job_id * 37 + number * 7 + attempt) % _PORTS
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    raise OSError(f"no free port among {_TRIES} from {_FIRST_PORT} on")


def _address_of(interface: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe, _GET_ADDRESS, struct.pack("256s", interface.encode()[:15]))
        except OSError as error:
            known = ", ".join(name for _, name in socket.if_nameindex())
            words = f"{socket.gethostname()} has no IPv4 address on interface {interface!r}; it has {known}"
            raise OSError(error.errno, words) from None
    return socket.inet_ntoa(answer[20:24])
