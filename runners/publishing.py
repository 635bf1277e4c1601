"""Make a run folder whole or not at all, and take it back where nothing came of it."""

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.canonical import canonical_json
from contracts.errors import RunFolderUnwritable
from contracts.launch import LaunchRequest
from runners.files import read_object, sync_folder, write_json, write_whole
from runners.journal import fold, read_journal
from runners.rundir import DRAFT_PREFIX, RunDir

_DRAFT_LIMIT_S = 3600.0
"""A draft older than this belongs to a client that was killed."""


def publish(run: RunDir, launch: LaunchRequest, approval: dict[str, Any], key: str) -> None:
    """Write a run folder under another name, then give it its own, unless that is taken.

    Raises:
        RunFolderUnwritable: It cannot be written; nothing is left of it.
    """
    submission = {
        "key": key,
        "launch_hash": launch.launch_hash,
        "kind": launch.kind,
        "backend": "local" if launch.slurm is None else "slurm",
        "marker": f"{run.run_id}.{secrets.token_hex(8)}",
        "created_at": time.time(),
        "steps": _planned_steps(launch),
    }
    draft = None
    try:
        run.path.parent.mkdir(parents=True, exist_ok=True)
        draft = RunDir(tempfile.mkdtemp(prefix=DRAFT_PREFIX, dir=run.path.parent))
        draft.commands.mkdir()
        write_whole(draft.spec, canonical_json(launch.model_dump(mode="json")))
        write_whole(draft.approval, canonical_json(approval))
        write_json(draft.submission, submission)
        _rename_unless_taken(draft.path, run.path)
        sync_folder(run.path.parent)
    except OSError as error:
        raise RunFolderUnwritable(f"cannot make the run folder {run.path}: {error.strerror}") from error
    finally:
        if draft is not None:
            shutil.rmtree(draft.path, ignore_errors=True)


def withdraw(run: RunDir) -> None:
    """Remove a run folder in which nothing was started and no supervisor is at work; best effort."""
    away = run.path.with_name(f"{DRAFT_PREFIX}{run.run_id}.{os.getpid()}")
    with contextlib.suppress(OSError):
        with _held(run.lock):
            if fold(read_journal(run.journal)).attempt:
                return
            run.path.rename(away)
        shutil.rmtree(away, ignore_errors=True)


def remove_old_drafts(runs: Path) -> None:
    """Remove what clients left that were killed while they made a run folder; best effort."""
    with contextlib.suppress(OSError):
        for draft in runs.glob(DRAFT_PREFIX + "*"):
            if time.time() - draft.stat().st_mtime > _DRAFT_LIMIT_S:
                shutil.rmtree(draft, ignore_errors=True)


def _planned_steps(launch: LaunchRequest) -> int | None:
    """Return the optimizer steps that the approved configuration asks for, where it says so."""
    for entry in launch.inputs:
        if entry.role == "config":
            recipe = (read_object(Path(entry.path)) or {}).get("recipe")
            steps = recipe.get("steps") if isinstance(recipe, dict) else None
            return steps if isinstance(steps, int) else None
    return None


@contextlib.contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Keep supervisors away from a run folder.

    Raises:
        BlockingIOError: One is at work.
    """
    try:
        descriptor = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        yield  # no supervisor came as far as this
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _rename_unless_taken(draft: Path, final: Path) -> None:
    try:
        draft.rename(final)
    except OSError:
        if not final.exists():
            raise
