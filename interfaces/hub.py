"""The config.json of a model on the Hugging Face hub. Text is fetched and nothing of it is run."""

import json
import os
import re
from typing import Any

import httpx

from contracts.errors import CannotBeKnown, RequestInvalid

ENDPOINT = "https://huggingface.co"
"""Where models are looked up, unless HF_ENDPOINT names a mirror."""

MOST_BYTES = 1 << 20
"""A config.json is a few KiB; what is larger is something else."""

TIMEOUT_S = 10.0
"""Seconds for a connection, and for each wait on it."""

_ID = re.compile(
    r"(?P<owner>[A-Za-z0-9][\w.-]{0,95})/(?P<name>[A-Za-z0-9][\w.-]{0,95})(?:@(?P<revision>[\w.-]{1,64}))?"
)


def is_hub_id(text: str) -> bool:
    """Tell whether a text is a model's id, such as "owner/name" or "owner/name@revision"."""
    return bool(_ID.fullmatch(text)) and ".." not in text


def fetch_config(hub_id: str) -> dict[str, Any]:
    """Return the fields of a model's config.json.

    Args:
        hub_id: "owner/name", or "owner/name@revision".

    Raises:
        CannotBeKnown: The hub cannot be reached, has no such model, or shows it to members only.
        RequestInvalid: What it has there is no config.json.
    """
    parts = _ID.fullmatch(hub_id)
    if parts is None or ".." in hub_id:
        raise RequestInvalid(f"{hub_id!r} is no model id of the form owner/name")
    endpoint = os.environ.get("HF_ENDPOINT", ENDPOINT).rstrip("/")
    address = f"{endpoint}/{parts['owner']}/{parts['name']}/resolve/{parts['revision'] or 'main'}/config.json"
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        raise _unreachable(hub_id, address, "HF_HUB_OFFLINE is set")
    try:
        text = _body(address, hub_id)
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        raise _unreachable(hub_id, address, str(problem) or type(problem).__name__) from None
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise RequestInvalid(f"{address} is not JSON: {problem}") from None
    if not isinstance(config, dict):
        raise RequestInvalid(f"{address} holds a {type(config).__name__}, not an object of fields")
    return config


def _body(address: str, hub_id: str) -> bytes:
    """Return at most MOST_BYTES of an address."""
    with (
        httpx.Client(timeout=TIMEOUT_S, follow_redirects=True, max_redirects=5) as client,
        client.stream("GET", address, headers={"Accept": "application/json"}) as response,
    ):
        if response.status_code in (401, 403):
            hint = "download its config.json as a member and give that file"
            raise CannotBeKnown(
                f"{hub_id} is shown to members only ({response.status_code})", code="hub_gated", hint=hint
            )
        if response.status_code == 404:
            raise CannotBeKnown(f"the hub has no {hub_id}, or no config.json in it", code="model_unknown")
        response.raise_for_status()
        body = b""
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MOST_BYTES:
                raise RequestInvalid(f"{address} is larger than {MOST_BYTES} bytes: no config.json of a model")
        return body


def _unreachable(hub_id: str, address: str, why: str) -> CannotBeKnown:
    return CannotBeKnown(
        f"{hub_id!r} is neither a path nor a name that is known here, and {address} cannot be fetched: {why}",
        code="hub_unreachable",
        hint="give the folder of its config.json, or set HF_ENDPOINT to a mirror that can be reached",
    )
