"""n8n's public REST API (`/api/v1`): what it takes to put workflows and credentials in, and out again.

The key travels in a header to the address that was given and nowhere else: no redirect
is followed, and no proxy of the environment is asked.
"""

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from contracts.errors import FsdpAgentError
from interfaces.n8n.workflows import (
    APPROVER,
    CREDENTIAL_TYPE,
    SUBMITTER,
    Json,
    Workflow,
    credential_ids,
    header,
)

TIMEOUT_S = 60.0
"""Seconds for each call: publishing registers webhooks, on a loaded machine slowly."""
MOST_BYTES = 32 << 20
"""Longest answer that is read."""

_PAGE = 100
_MOST_PAGES = 100
_SHOWN = 300
_SCOPES = "workflow: list, create, update, delete, activate; credential: list, create, update, delete"
_KEY_HINT = f"make one in n8n: Settings > n8n API; where it has scopes, it needs {_SCOPES}"


class Api:
    """One n8n, by its public API."""

    def __init__(self, url: str, key: str) -> None:
        """Open a connection.

        Args:
            url: Address of n8n, without a path.
            key: An API key of n8n.
        """
        self._url = url
        self._hidden = [key]
        self._http = httpx.Client(
            base_url=f"{url}/api/v1/", headers={"X-N8N-API-KEY": key}, timeout=TIMEOUT_S, trust_env=False
        )

    def __enter__(self) -> "Api":
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connection."""
        self._http.close()

    def check(self) -> None:
        """See whether n8n answers and takes the key.

        Raises:
            FsdpAgentError: It does not.
        """
        self._call("GET", "workflows?limit=1")

    def install(self, wanted: tuple[Workflow, ...], tokens: Mapping[str, str], server: str) -> dict[str, str]:
        """Put credentials and workflows in, or bring those up to date that are there, and publish.

        Args:
            wanted: The workflows.
            tokens: Token by name of the credential.
            server: Address of `fsdp-agent serve` as n8n sees it.

        Returns:
            Id in n8n by name of the workflow.

        Raises:
            FsdpAgentError: n8n refused something; what was put in before stays.
        """
        self._hidden += tokens.values()
        there = self._found(wanted)
        known = self._credential_ids(there)
        ids = {name: self._credential(known.get(name), name, token) for name, token in tokens.items()}
        made = {}
        for flow in wanted:
            body = flow.filled(server, ids).sent()
            old = next((each["id"] for each in there if flow.is_this(each)), None)
            answer = self._call("PUT", f"workflows/{old}", body) if old else self._call("POST", "workflows", body)
            made[flow.name] = str(answer["id"])
            if flow.path:
                self._call("POST", f"workflows/{answer['id']}/activate", {})
        return made

    def remove(self, wanted: tuple[Workflow, ...]) -> dict[str, str]:
        """Take our workflows and credentials out.

        Returns:
            Id by name of each workflow that was there.
        """
        there = self._found(wanted)
        known = self._credential_ids(there)
        for each in there:
            self._call("DELETE", f"workflows/{each['id']}", gone_is_fine=True)
        for key in known.values():
            self._call("DELETE", f"credentials/{key}", gone_is_fine=True)
        return {str(each["name"]): str(each["id"]) for each in there}

    def _found(self, wanted: tuple[Workflow, ...]) -> list[Json]:
        return [each for each in self._listed("workflows") if any(flow.is_this(each) for flow in wanted)]

    def _credential(self, key: str | None, name: str, token: str) -> str:
        data = {"name": name, "type": CREDENTIAL_TYPE, "data": header(token)}
        if key and self._call("PATCH", f"credentials/{key}", data, gone_is_fine=True):
            return key
        return str(self._call("POST", "credentials", data)["id"])

    def _credential_ids(self, there: list[Json]) -> dict[str, str]:
        """Return ids by name: what the workflows name, and what the list has where the key may see it."""
        listed = self._listed("credentials", may_be_refused=True)
        ours = [each for each in listed if each["type"] == CREDENTIAL_TYPE and each["name"] in (SUBMITTER, APPROVER)]
        return {each["name"]: each["id"] for each in ours} | credential_ids(there)

    def _listed(self, what: str, *, may_be_refused: bool = False) -> list[Json]:
        found: list[Json] = []
        cursor = ""
        for _ in range(_MOST_PAGES):
            page = self._call("GET", f"{what}?limit={_PAGE}{cursor}", gone_is_fine=may_be_refused)
            found += page.get("data", [])
            if not page.get("nextCursor"):
                break
            cursor = f"&cursor={page['nextCursor']}"
        return found

    def _call(self, method: str, path: str, body: Json | None = None, *, gone_is_fine: bool = False) -> Json:
        """Make one call; an empty answer stands for what is not there and need not be."""
        try:
            with self._http.stream(method, path, json=body) as response:
                text = b""
                for chunk in response.iter_bytes():
                    text += chunk
                    if len(text) > MOST_BYTES:
                        raise FsdpAgentError(f"n8n answered more than {MOST_BYTES} bytes", code="n8n_failed")
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            raise FsdpAgentError(
                f"{self._url} does not answer: {problem}", code="n8n_unreachable", hint="give n8n's address with --url"
            ) from None
        if response.is_success:
            return self._read(text)
        if gone_is_fine and response.status_code in (403, 404, 405):
            return {}
        where = f"{method} {path.partition('?')[0]}"
        hint = _KEY_HINT if response.status_code in (401, 403) else ""
        raise FsdpAgentError(
            f"n8n answered {response.status_code} to {where}: {self._said(text)}", code="n8n_refused", hint=hint
        )

    def _read(self, text: bytes) -> Json:
        try:
            answer: Any = json.loads(text or b"{}")
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise FsdpAgentError(
                f"{self._url} answers, but not as n8n's public API", code="n8n_failed", hint="is --url n8n's address?"
            )
        return answer

    def _said(self, text: bytes) -> str:
        """Return the beginning of what n8n said, without the secrets that it was sent."""
        said = text.decode("utf-8", "replace")
        for secret in self._hidden:
            said = said.replace(secret, "***")
        return said[:_SHOWN]
