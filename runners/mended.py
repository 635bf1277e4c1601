"""What a launch after a failed run has beside the request: a start checkpoint, variables, mended copies of scripts."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from contracts.errors import RequestInvalid
from contracts.launch import InputDigest, LaunchRequest
from contracts.regular import read_whole
from contracts.request import UserScript
from runners.bundle_files import bundle_digest
from runners.checkpoints import MANIFEST, manifest_files
from runners.files import open_regular
from runners.inputs import digest
from runners.script_job import ScriptJob

_MOST_BYTES = 4 << 20
PATCHED = "patched"
"""Folder of a bundle that holds the mended copies; nothing else may lie in it."""


@dataclass(frozen=True)
class Mended:
    """Changes of a launch that no field of a request holds."""

    resume_from: str | None = None
    """Absolute path of the step folder of another run that the built-in job starts from."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set for the job."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Content of mended scripts by the absolute path of the user's own file."""


class ScriptTexts(NamedTuple):
    """The files of a user's script as they are, and as they ran."""

    own: dict[str, str]
    """Text of each file by its own path; the script itself first."""
    ran: dict[str, str]
    """The same as it ran: that of the mended copies, where there were some."""


def script_texts(launch: LaunchRequest, script: UserScript | None) -> ScriptTexts:
    """Return the texts of a script that was launched; none where its files are no longer those that ran.

    Args:
        launch: What was launched.
        script: The user's script.
    """
    empty = ScriptTexts({}, {})
    if script is None or script.path is None:
        return empty
    folder = Path(script.path).absolute().parent
    bundle = next((Path(entry.path).parent for entry in launch.inputs if entry.role == "support"), None)
    own: dict[str, str] = {}
    ran: dict[str, str] = {}
    for entry in launch.inputs:
        if entry.role not in ("script", "patched"):
            continue
        path, text = Path(entry.path), _text(Path(entry.path))
        if text is None or hashlib.sha256(text.encode()).hexdigest() != entry.sha256:
            return empty  # edited since: its lines are others than those that failed
        if entry.role == "patched" and bundle is not None:
            path = folder / path.relative_to(bundle / PATCHED)
        mine = text if entry.role == "script" else _text(path)
        if mine is None:
            return empty
        own[str(path)], ran[str(path)] = mine, text
    return ScriptTexts(own, ran)


def _text(path: Path) -> str | None:
    try:
        with open_regular(path) as stream:
            return stream.read(_MOST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def checkpoint_inputs(folder: Path) -> list[InputDigest]:
    """Return the files of a start checkpoint, whose content is approved with the launch.

    Raises:
        RequestInvalid: It is no whole checkpoint.
        FileUnreadable: A file of it cannot be read.
    """
    try:
        files, _ = manifest_files(folder)
    except ValueError as problem:
        raise RequestInvalid(f"cannot resume from {folder}: {problem}") from None
    found = [digest("checkpoint", folder / name) for name in sorted(files)]
    for entry in found:
        if (entry.size_bytes, entry.sha256) != files[Path(entry.path).name]:
            raise RequestInvalid(f"cannot resume from {folder}: {Path(entry.path).name} differs from its manifest")
    return [*found, digest("checkpoint", folder / MANIFEST)]


def bundled(folder: Path, name: str) -> InputDigest:
    """Return the digest of a file of a bundle, mended copies among them.

    Args:
        folder: The bundle.
        name: The file's place below it.
    """
    path = folder / name
    return digest("patched", path) if name.startswith(f"{PATCHED}/") else bundle_digest(path)


def patched_script(job: ScriptJob, texts: Mapping[str, str]) -> tuple[dict[str, bytes], list[InputDigest], list[str]]:
    """Return the files of a bundle, the inputs and the arguments of a script that runs as mended copies.

    The script and the files beside it that its imports name are copied together, so that
    imports find the copies; its working folder and its own file stay as they are.

    Args:
        job: The script's job as it is without the change.
        texts: Content of the mended files by the path of the user's own.

    Raises:
        RequestInvalid: A mended file is none of those that the script runs.
    """
    scripts = [Path(entry.path) for entry in job.inputs if entry.role == "script"]
    main = next((path for path in scripts if str(path) in job.argv), None)
    if main is None:
        raise RequestInvalid("a module cannot be run as a mended copy; change it by hand")
    copied = [path for path in scripts if path.is_relative_to(main.parent)]
    foreign = sorted(set(texts) - {str(path) for path in copied})
    if foreign:
        raise RequestInvalid(f"{foreign[0]} does not lie below {main.parent}, so no mended copy of it can be run")
    files = {
        f"{PATCHED}/{path.relative_to(main.parent)}": texts[str(path)].encode() if str(path) in texts else _body(path)
        for path in copied
    }
    kept = [entry for entry in job.inputs if entry.role != "script" or Path(entry.path) not in copied]
    place = f"{{bundle}}/{PATCHED}/{main.name}"
    return files, kept, [place if word == str(main) else word for word in job.argv]


def _body(path: Path) -> bytes:
    try:
        return read_whole(path, _MOST_BYTES)
    except OSError as error:
        raise RequestInvalid(f"cannot read {path}: {error.strerror}") from None
