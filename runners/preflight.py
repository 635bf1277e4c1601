"""The launch of a preflight: our own ranks, which examine each other and their machine."""

import hashlib
import sys
from pathlib import Path

from contracts.canonical import content_hash
from contracts.launch import LaunchRequest
from runners.bundle import PreparedLaunch
from runners.bundle_files import bundle_digest, write_bundle
from runners.home import Home
from runners.inputs import digest
from runners.launching import (
    approved_values,
    check_interpreter,
    check_ranks,
    job_constants,
    job_resources,
    torchrun_arguments,
)
from runners.preflight_files import preflight_files


def prepare_preflight(home: Home, ranks: int, device: str, interpreter: str | None = None) -> PreparedLaunch:
    """Write the bundle of a preflight and return its launch.

    Args:
        home: The agent's home folder.
        ranks: Processes on this machine.
        device: `cpu` or `cuda`.
        interpreter: Python of the training environment; the agent's own where None.

    Raises:
        RequestInvalid: So many ranks cannot run here.
        FileUnreadable: The interpreter is no program.
        RunFolderUnwritable: The bundle cannot be written.
    """
    python = check_interpreter(interpreter or sys.executable)
    warnings = check_ranks(ranks, device)
    files = preflight_files()
    plan_id = content_hash({name: hashlib.sha256(body).hexdigest() for name, body in files.items()})[:12]
    folder = home.plans / plan_id
    write_bundle(folder, files)
    launch = LaunchRequest(
        kind="preflight",
        interpreter=python,
        argv=(*torchrun_arguments(ranks), str(folder / "fsdp_preflight.py"), "--device", device),
        workdir=str(folder),
        env=job_constants(device, ranks) | approved_values(()),
        resources=job_resources(device, ranks),
        writes=("{run_dir}",),
        inputs=(digest("interpreter", Path(python)), *(bundle_digest(folder / name) for name in files)),
    )
    return PreparedLaunch(plan_id, launch, tuple(str(folder / name) for name in files), tuple(warnings))
