"""The files of a bundle: written whole, addressed by content, named by digest."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from contracts.errors import RunFolderUnwritable
from contracts.launch import InputDigest
from runners.inputs import digest


def json_file(value: Any) -> bytes:
    """Return JSON for a file that a person may read."""
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def bundle_digest(path: Path) -> InputDigest:
    """Return the digest of a file of a bundle; its role follows from its name."""
    if path.name in ("fsdp_heartbeat.py", "fsdp_first_step.py"):
        return digest("support", path)
    if path.suffix == ".py":
        return digest("script", path)
    return digest("data_manifest" if path.name == "data_manifest.json" else "config", path)


def write_bundle(folder: Path, files: dict[str, bytes]) -> None:
    """Write a bundle under another name, then give it its own; the same bundle again is no work.

    Args:
        folder: Its place; what stands there and differs is replaced.
        files: Content by name; a name may lead into a folder of the bundle.

    Raises:
        RunFolderUnwritable: It cannot be written; nothing is left of it.
    """
    if all((folder / name).is_file() and (folder / name).read_bytes() == body for name, body in files.items()):
        return  # nothing to write, or the same bundle again
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for name, body in files.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(body)
                (fresh / name).chmod(0o444)
            # What stands there was changed by somebody: an approval of it no longer holds anyway.
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    except OSError as error:
        raise RunFolderUnwritable(f"cannot write the plan into {folder}: {error.strerror}") from error
