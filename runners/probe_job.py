"""The launch of probes as a job: the proofs of knowledge cards, run by the training interpreter and recorded."""

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

from contracts.canonical import content_hash
from contracts.errors import RequestInvalid
from contracts.launch import LaunchRequest, LaunchResources
from runners.bundle import PreparedLaunch
from runners.bundle_files import bundle_digest, json_file, write_bundle
from runners.devices import usable_cores, visible_gpus
from runners.home import Home
from runners.inputs import digest
from runners.launching import approved_values, check_interpreter, job_constants

_PAYLOAD = Path(__file__).parent / "payload"
_HOST = ("probe_host.py", "probe_ranks.py")
_JOBS_MAX = 4
_RANKS_OF_A_PROBE = 2


def prepare_probe(
    home: Home, probes: Mapping[str, Path], shared: Path, interpreter: str | None = None
) -> PreparedLaunch:
    """Write the bundle of a probe job and return its launch.

    Args:
        home: The agent's home folder.
        probes: File of each probe by name.
        shared: The file that probes import.
        interpreter: Python of the training environment; the agent's own where None.

    Raises:
        RequestInvalid: There is no probe to run.
        FileUnreadable: The interpreter is no program.
        RunFolderUnwritable: The bundle cannot be written.
    """
    if not probes:
        raise RequestInvalid("none of these cards has a probe", hint="fsdp-agent kb show CARD says why")
    python = check_interpreter(interpreter or sys.executable)
    at_a_time = min(_JOBS_MAX, usable_cores(), len(probes))
    files = {name: (_PAYLOAD / name).read_bytes() for name in _HOST}
    files |= {f"{name}.py": path.read_bytes() for name, path in probes.items()}
    files |= {shared.name: shared.read_bytes()}
    files["job.json"] = json_file({"probes": sorted(probes), "jobs": at_a_time})
    plan_id = content_hash({name: hashlib.sha256(body).hexdigest() for name, body in files.items()})[:12]
    folder = home.plans / plan_id
    write_bundle(folder, files)
    gpus = min(_RANKS_OF_A_PROBE, visible_gpus())
    device = "cuda" if gpus else "cpu"
    launch = LaunchRequest(
        kind="probe",
        interpreter=python,
        argv=(str(folder / _HOST[0]), "--job", str(folder / "job.json")),
        workdir=str(folder),
        env=job_constants(device, usable_cores()) | approved_values(()),
        resources=LaunchResources.model_validate(
            {
                "nodes": 1,
                "ranks_per_node": 1,
                "device": device,
                "cores_per_node": _RANKS_OF_A_PROBE * at_a_time,
                "gpus_per_node": gpus,
            }
        ),
        writes=("{run_dir}",),
        inputs=(digest("interpreter", Path(python)), *(bundle_digest(folder / name) for name in files)),
    )
    return PreparedLaunch(plan_id, launch, tuple(str(folder / name) for name in files), ())
