"""n8n's own command line: it writes into the database of the n8n of this machine, without a key.

A running n8n takes what was written with its next start. The command cannot delete.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from contracts.errors import FsdpAgentError
from interfaces.n8n.workflows import APPROVER, CREDENTIAL_TYPE, SUBMITTER, Json, Workflow, header

LIMIT_S = 300
"""Seconds for each command: n8n loads all of itself, on a loaded machine slowly."""

_SHOWN = 500
_REMOVED = "removed"


class Command:
    """One n8n, by its command."""

    def __init__(self, program: str) -> None:
        """Find it.

        Args:
            program: A name on the search path, or a path.

        Raises:
            FsdpAgentError: There is none.
        """
        found = shutil.which(program)
        if found is None:
            raise FsdpAgentError(
                f"{program!r} is not on the search path",
                code="n8n_missing",
                hint="give --n8n PATH; or --url and --api-key-file, for an n8n elsewhere",
            )
        self._program = found

    def __enter__(self) -> "Command":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open."""

    def check(self) -> None:
        """Whether the command can be used was seen when it was found."""

    def install(self, wanted: tuple[Workflow, ...], tokens: Mapping[str, str], server: str) -> dict[str, str]:
        """Import credentials and workflows, in place of earlier ones, and publish.

        Args:
            wanted: The workflows.
            tokens: Token by name of the credential.
            server: Address of `fsdp-agent serve` as n8n sees it.

        Returns:
            Id in n8n by name of the workflow.

        Raises:
            FsdpAgentError: A command failed.
        """
        ids = _fixed_ids(wanted)
        self._import("credentials", [_credential(ids[name], name, token) for name, token in tokens.items()])
        self._import("workflow", [flow.filled(server, ids).body for flow in wanted])
        for flow in wanted:
            if flow.path:
                self._run("publish:workflow", f"--id={flow.id}")
        return {flow.name: flow.id for flow in wanted}

    def remove(self, wanted: tuple[Workflow, ...]) -> dict[str, str]:
        """Unpublish our workflows and empty our credentials; n8n's command deletes neither."""
        ids = _fixed_ids(wanted)
        for flow in wanted:
            if flow.path:
                self._run("unpublish:workflow", f"--id={flow.id}")
        self._import("credentials", [_credential(key, name, _REMOVED) for name, key in ids.items()])
        return {flow.name: flow.id for flow in wanted}

    def _import(self, what: str, content: list[Json]) -> None:
        """Hand content over in a file that only its owner can read, and that is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="fsdp-n8n-") as folder:
            path = Path(folder) / f"{what}.json"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
                json.dump(content, stream)
            said = self._run(f"import:{what}", f"--input={path}")
        # it exits with 0 whether or not it imported anything
        if "Successfully imported" not in said:
            raise FsdpAgentError(f"n8n did not import: {said[-_SHOWN:]}", code="n8n_failed")

    def _run(self, *arguments: str) -> str:
        try:
            done = subprocess.run(
                [self._program, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT_S,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            raise FsdpAgentError(f"n8n {arguments[0]} did not end in {LIMIT_S} s", code="n8n_failed") from None
        said = f"{done.stdout}\n{done.stderr}".strip()
        if done.returncode or "GOT ERROR" in said:
            raise FsdpAgentError(f"n8n {arguments[0]}: {said[-_SHOWN:]}", code="n8n_failed")
        return said


def _fixed_ids(wanted: tuple[Workflow, ...]) -> dict[str, str]:
    """Return the ids that the files give the credentials: a second import replaces the first."""
    found = {name: key for flow in wanted for name, key in flow.credentials.items()}
    assert set(found) <= {SUBMITTER, APPROVER}
    return found


def _credential(key: str, name: str, token: str) -> Json:
    return {"id": key, "name": name, "type": CREDENTIAL_TYPE, "data": header(token)}
