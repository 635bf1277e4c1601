"""The launch of a dry run: one process of ours that shards a model without memory and counts."""

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

from contracts.canonical import content_hash
from contracts.errors import FileUnreadable, RequestInvalid
from contracts.launch import InputDigest, LaunchRequest
from runners.bundle import PreparedLaunch
from runners.bundle_files import bundle_digest, json_file, write_bundle
from runners.home import Home
from runners.inputs import digest
from runners.launching import approved_values, check_interpreter, job_constants, job_resources
from runners.script_imports import imported_files

_PAYLOAD = Path(__file__).parent / "payload"
_MODULES = ("fsdp_dryrun*.py", "fsdp_sft_config.py", "fsdp_sft_rundir.py")
_FACTORY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_USER_CODE = "--user-code"
"""Says in the launch itself that code of the user's runs."""


def prepare_dryrun(
    home: Home,
    settings: dict[str, Any],
    *,
    model_config: dict[str, Any] | None = None,
    factory: str | None = None,
    folder: Path | None = None,
    interpreter: str | None = None,
) -> PreparedLaunch:
    """Write the bundle of a dry run and return its launch.

    Args:
        home: The agent's home folder.
        settings: What the payload is told beside the model (`engines.sizing.dryrun_request`).
        model_config: Fields of a Hugging Face config.json; or:
        factory: `module:function` that returns the model. It is code of the user's.
        folder: Folder from which the factory's module is imported; the working folder where None.
        interpreter: Python of the training environment; the agent's own where None.

    Raises:
        RequestInvalid: The factory is not of that form.
        FileUnreadable: The interpreter is no program, or the factory's module is not there.
        RunFolderUnwritable: The bundle cannot be written.
    """
    assert (model_config is None) != (factory is None), "a configuration or a factory"
    python = check_interpreter(interpreter or sys.executable)
    paths = sorted(path for pattern in _MODULES for path in _PAYLOAD.glob(pattern))
    files = {path.name: path.read_bytes() for path in paths}
    code: tuple[InputDigest, ...] = ()
    asked = dict(settings)
    if factory is None:
        files["model.json"] = json_file(model_config)
        asked["config"] = "model.json"
    else:
        place = (folder or Path.cwd()).expanduser().absolute()
        code = _code(factory, place)
        asked |= {"factory": factory, "folder": str(place)}
    files["config.json"] = json_file(asked)
    plan_id = content_hash({name: hashlib.sha256(body).hexdigest() for name, body in files.items()})[:12]
    bundle = home.plans / plan_id
    write_bundle(bundle, files)
    flags = (_USER_CODE,) if factory is not None else ()
    launch = LaunchRequest(
        kind="dryrun",
        interpreter=python,
        argv=(str(bundle / "fsdp_dryrun.py"), "--config", str(bundle / "config.json"), *flags),
        workdir=str(bundle),
        env=job_constants("cpu", 1) | approved_values(()),
        resources=job_resources("cpu", 1, cores=1),
        writes=("{run_dir}",),
        inputs=(digest("interpreter", Path(python)), *(bundle_digest(bundle / name) for name in files), *code),
    )
    return PreparedLaunch(plan_id, launch, tuple(str(bundle / name) for name in files), ())


def _code(factory: str, folder: Path) -> tuple[InputDigest, ...]:
    """Return the files of the factory's module and of what it imports from its folder."""
    if not _FACTORY.fullmatch(factory):
        raise RequestInvalid(f"factory {factory!r} is not module:function, such as models.small:build")
    module = factory.partition(":")[0]
    place = folder.joinpath(*module.split("."))
    start = next(
        (path for path in (place / "__init__.py", place.with_name(f"{place.name}.py")) if path.is_file()), None
    )
    if start is None:
        raise FileUnreadable(f"there is no module {module} in {folder}", hint="name its folder with --factory-folder")
    # not as scripts: what lies beside them is the user's, and Python does not search there first
    return tuple(digest("data", path) for path in (start, *imported_files(start, [folder])))
