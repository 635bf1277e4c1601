"""The workflow files of this folder, with the server's address and the credentials filled in."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from contracts.errors import InputError

Json = dict[str, Any]
"""Plain JSON data."""

SUBMITTER = "fsdp submitter"
"""Name of the credential that asks, puts launches forward and follows them."""
APPROVER = "fsdp approver"
"""Name of the credential that also decides; only `decide.json` uses it."""
CREDENTIAL_TYPE = "httpHeaderAuth"
"""n8n's type of both: one header of every call."""
SERVER = "http://127.0.0.1:2024"
"""Where the files look for `fsdp-agent serve`."""

_FOLDER = Path(__file__).parent
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.\-\[\]:_]+(/[A-Za-z0-9._~/\-]*)?")
_SENT = ("name", "nodes", "connections", "settings")
"""What n8n's API takes of a workflow; it refuses any further key."""


@dataclass(frozen=True)
class Workflow:
    """One workflow file."""

    body: Json
    """Its content."""

    @property
    def name(self) -> str:
        """Name in n8n."""
        return str(self.body["name"])

    @property
    def id(self) -> str:
        """Id under which n8n's own import keeps it; the API gives another one."""
        return str(self.body["id"])

    @cached_property
    def path(self) -> str:
        """Path of its webhook; empty where a person starts it in the editor."""
        found = [node["parameters"]["path"] for node in self.body["nodes"] if node["type"].endswith(".webhook")]
        return str(found[0]) if found else ""

    @cached_property
    def credentials(self) -> dict[str, str]:
        """Ids of its credentials by name."""
        return dict(_credentials(self.body))

    def is_this(self, other: Json) -> bool:
        """Tell whether a workflow in n8n is this one: it has the name and all nodes that are called from others."""
        first = self.body["nodes"][0]["name"]
        return other.get("name") == self.name and any(node.get("name") == first for node in other.get("nodes", ()))

    def sent(self) -> Json:
        """Return what n8n's API takes of it."""
        return {name: self.body[name] for name in _SENT}

    def filled(self, server: str, ids: Mapping[str, str]) -> "Workflow":
        """Return it with the server's address and the credentials' ids in their places.

        Args:
            server: Address of the server as n8n sees it, without a path.
            ids: Id in n8n by name of the credential.
        """
        body = json.loads(json.dumps(self.body).replace(SERVER, server))
        for node in body["nodes"]:
            for kind, entry in node.get("credentials", {}).items():
                node["credentials"][kind] = {"id": ids[entry["name"]], "name": entry["name"]}
        return Workflow(body)


def workflows(approver: bool) -> tuple[Workflow, ...]:
    """Return the workflows, by file name.

    Args:
        approver: Whether those are wanted too that hold the approver's credential.
    """
    known = {SUBMITTER, APPROVER} if approver else {SUBMITTER}
    found = (Workflow(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(_FOLDER.glob("*.json")))
    return tuple(each for each in found if set(each.credentials) <= known)


def address(text: str, option: str) -> str:
    """Return an address without the slash at its end.

    Raises:
        InputError: It has another form; it becomes part of a workflow, so nothing else may.
    """
    if not _ADDRESS.fullmatch(text):
        raise InputError(f"{option} {text!r} is no address", hint="such as http://127.0.0.1:2024")
    return text.rstrip("/")


def header(token: str) -> Json:
    """Return the data of a credential that bears a token."""
    return {"name": "Authorization", "value": f"Bearer {token}"}


def credential_ids(found: list[Json]) -> dict[str, str]:
    """Return the ids of our credentials, by name, that workflows in n8n name."""
    ours = {SUBMITTER, APPROVER}
    return {name: key for body in found for name, key in _credentials(body) if name in ours and key}


def _credentials(body: Json) -> list[tuple[str, str]]:
    entries = [node.get("credentials", {}).get(CREDENTIAL_TYPE) for node in body["nodes"]]
    return [(str(entry.get("name")), str(entry.get("id") or "")) for entry in entries if entry]
