"""A real Slurm with emulated nodes, in a folder of its own: for tests, and for trying things out.

    python scripts/slurm_on_one_machine.py start FOLDER [--nodes 2] [--cores 8]
    . FOLDER/environment.sh      # SLURM_CONF: sbatch, squeue ... now speak to this Slurm
    python scripts/slurm_on_one_machine.py stop FOLDER

Needs the programs of Slurm and munge (Debian, Ubuntu: `apt-get install
--no-install-recommends slurm-wlm munge`) and nothing of their services: configuration,
key, sockets, ports, logs and process ids are in FOLDER, and nothing outside of it is
touched. All nodes are this machine. What it has not: control groups (a job may take more
than it asked for, and orphans are found by their parents alone) and slurmdbd (`sacct`
answers only as `sacct -c`, from a text file).
"""

import argparse
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo", "srun")
PATIENCE_S = 60.0
_SOCKET_LIMIT_CHARS = 100
"""A Unix socket's path has at most 107 bytes."""
_EXTRA_PATH = "/usr/sbin:/usr/local/sbin:/sbin"

_CONF = """\
ClusterName=onemachine
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SwitchType=switch/none
MpiDefault=none
SrunPortRange={srun_ports}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
PropagateResourceLimits=NONE
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.log
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5,bf_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
SlurmdParameters=config_overrides
SlurmctldTimeout=30
SlurmdTimeout={node_timeout_s}
ReturnToService=2
KillWait=15
MinJobAge=3600
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_node_port}-{last_node_port}] \
CPUs={cores} RealMemory=4000 State=UNKNOWN
PartitionName=train Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE \
GraceTime=120
PartitionName=brief Nodes=n[1-{nodes}] MaxTime=5 State=UP PriorityTier=1
PartitionName=urgent Nodes=n[1-{nodes}] MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""


class NotStarted(RuntimeError):
    """It did not come up; the message says what to do."""


def missing_programs() -> list[str]:
    """Return the programs that have to be installed."""
    return [name for name in PROGRAMS if _program(name) is None]


def write_configuration(folder: Path, nodes: int, cores: int, node_timeout_s: int) -> None:
    """Write slurm.conf, the munge key and environment.sh.

    Args:
        folder: Where; an absolute path.
        nodes: Emulated nodes, from 2.
        cores: Cores that each claims to have.
        node_timeout_s: Seconds of silence after which a node counts as down.

    Raises:
        NotStarted: The path is too long for a socket, or so many ports in a row are not free.
    """
    if len(str(folder / "munge.socket")) > _SOCKET_LIMIT_CHARS:
        raise NotStarted(f"{folder} is too long a path for a socket: choose one below /tmp")
    for name in ("state", *(f"spool.n{number + 1}" for number in range(nodes))):
        (folder / name).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    first = _free_ports(1 + nodes + 40)
    (folder / "slurm.conf").write_text(
        _CONF.format(
            host=socket.gethostname().partition(".")[0],
            user=getpass.getuser(),
            folder=folder,
            nodes=nodes,
            cores=cores,
            node_timeout_s=node_timeout_s,
            port=first,
            first_node_port=first + 1,
            last_node_port=first + nodes,
            srun_ports=f"{first + nodes + 1}-{first + nodes + 40}",
        )
    )
    key = folder / "munge.key"
    if not key.exists():
        descriptor = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(1024))
    (folder / "environment.sh").write_text(f"export SLURM_CONF={folder}/slurm.conf\n")


def start(folder: Path, nodes: int = 2, cores: int = 8, node_timeout_s: int = 300) -> None:
    """Start everything and wait until all nodes are idle.

    Raises:
        NotStarted: A program is missing, or it did not come up.
    """
    if lacking := missing_programs():
        raise NotStarted(
            f"not installed: {', '.join(lacking)}; on Debian or Ubuntu: "
            "apt-get install -y --no-install-recommends slurm-wlm munge"
        )
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    write_configuration(folder, nodes, cores, node_timeout_s)
    start_munge(folder)
    start_controller(folder)
    for number in range(nodes):
        start_node(folder, f"n{number + 1}")
    deadline = time.monotonic() + PATIENCE_S
    while (idle := call(folder, "sinfo", "-h", "-N", "-p", "train", "-o", "%t").split()) != ["idle"] * nodes:
        if time.monotonic() > deadline:
            raise NotStarted(f"the nodes are {idle}: see {folder}/slurmctld.log and {folder}/slurmd.*.log")
        time.sleep(0.2)


def start_munge(folder: Path) -> None:
    """Start the authentication service."""
    options = {
        "socket": folder / "munge.socket",
        "key-file": folder / "munge.key",
        "pid-file": folder / "munged.pid",
        "log-file": folder / "munged.log",
        "seed-file": folder / "munge.seed",
    }
    _start(folder, "munged", "--force", *(f"--{name}={path}" for name, path in options.items()))


def start_controller(folder: Path, *options: str) -> None:
    """Start slurmctld; it goes on from what is in FOLDER/state, unless the options say otherwise."""
    _start(folder, "slurmctld", "-f", str(folder / "slurm.conf"), *options)


def start_node(folder: Path, name: str) -> None:
    """Start the slurmd of one node."""
    _start(folder, "slurmd", "-f", str(folder / "slurm.conf"), "-N", name)


def call(folder: Path, program: str, *words: str) -> str:
    """Run one of Slurm's commands against this Slurm and return what it printed; empty where it failed."""
    command = [_program(program) or program, *words]
    done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=60)
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """Return this process's environment, with Slurm's own set to this Slurm."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
    path = f"{kept.get('PATH', os.defpath)}:{_EXTRA_PATH}"
    return kept | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": path}


def process_of(folder: Path, name: str) -> int | None:
    """Return the pid of `munged`, `slurmctld` or `slurmd.n1`; None where it does not run."""
    try:
        pid = int((folder / f"{name}.pid").read_text())
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if str(folder).encode() in words else None


def stop(folder: Path) -> None:
    """Cancel all jobs and end every process that was started for this folder."""
    folder = folder.absolute()
    if process_of(folder, "slurmctld"):
        call(folder, "scancel", "--full", "--signal=KILL", "--user", getpass.getuser())
        call(folder, "scancel", "--user", getpass.getuser())
        deadline = time.monotonic() + 30
        while call(folder, "squeue", "-h").strip() and time.monotonic() < deadline:
            time.sleep(0.2)
    names = [path.name.removesuffix(".pid") for path in sorted(folder.glob("slurmd.*.pid"))]
    for name in (*names, "slurmctld", "munged"):
        _end(folder, name)
    _end_step_daemons(folder)


def _end(folder: Path, name: str) -> None:
    deadline = time.monotonic() + 15
    sent = signal.SIGTERM
    while (pid := process_of(folder, name)) is not None:
        os.kill(pid, sent)
        time.sleep(0.1)
        if time.monotonic() > deadline:
            sent = signal.SIGKILL


def _end_step_daemons(folder: Path) -> None:
    """Kill slurmstepd of jobs that outlived their slurmd: their open spool tells whose they are."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            if (entry / "comm").read_text().strip() != "slurmstepd":
                continue
            held = [str(link.readlink()) for link in (entry / "fd").iterdir()]
            if any(path.startswith(str(folder)) for path in held):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def _start(folder: Path, program: str, *words: str) -> None:
    # not its child's pipes: what stays in the background would hold them open
    with open(folder / "start.log", "ab") as log:
        command = [_program(program) or program, *words]
        code = subprocess.run(command, env=environment(folder), stdout=log, stderr=log, timeout=60).returncode
    if code:
        raise NotStarted(f"{program} exited with {code}: see {folder}/start.log")


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{_EXTRA_PATH}")


def _free_ports(count: int) -> int:
    """Return the first of so many free ports in a row, below those that the kernel gives away."""
    for _ in range(200):
        first = 10_000 + secrets.randbelow(20_000 - count)
        try:
            for port in range(first, first + count):
                with socket.create_server(("127.0.0.1", port)):
                    pass
        except OSError:
            continue
        return first
    raise NotStarted(f"no {count} free ports in a row between 10000 and 30000")


def main() -> int:
    """Start or stop."""
    parser = argparse.ArgumentParser(description="A real Slurm with emulated nodes; see the file's docstring")
    parser.add_argument("action", choices=("start", "stop"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--cores", type=int, default=8, help="cores that each node claims to have")
    parser.add_argument("--node-timeout", type=int, default=300, help="seconds until a silent node is down")
    arguments = parser.parse_args()
    if arguments.action == "stop":
        stop(arguments.folder)
        return 0
    try:
        start(arguments.folder, max(2, arguments.nodes), arguments.cores, arguments.node_timeout)
    except NotStarted as error:
        print(error, file=sys.stderr)
        stop(arguments.folder)
        return 1
    print(f"Slurm runs; use it with: . {arguments.folder.absolute()}/environment.sh")
    return 0


if __name__ == "__main__":
    sys.exit(main())
