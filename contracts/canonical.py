"""One byte form for a JSON value, and the two digests that approvals rest on.

Standard library only: the supervisor, which starts without site-packages, computes
the very same hash as the graph.
"""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

from contracts.regular import open_regular

_CHUNK_BYTES = 1 << 20


def canonical_json(value: Any) -> bytes:
    """Return the one byte form of a JSON value: sorted keys, no spaces, ASCII.

    Args:
        value: Plain JSON data. NaN and infinities are refused.

    Raises:
        ValueError: The value holds NaN or an infinity.
        TypeError: The value is not plain JSON data.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a JSON value's canonical form, as 64 hex digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, read in pieces of 1 MiB.

    Raises:
        OSError: The file cannot be read, or is no regular file.
    """
    digest = hashlib.sha256()
    with open_regular(path) as stream:
        while piece := stream.read(_CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def seal(record: dict[str, Any], key: bytes) -> str:
    """Return the HMAC-SHA256 of a record without its `mac` field, as hex digits."""
    body = {name: value for name, value in record.items() if name != "mac"}
    return hmac.new(key, canonical_json(body), hashlib.sha256).hexdigest()


def seal_holds(record: dict[str, Any], key: bytes) -> bool:
    """Tell whether a record's `mac` was made with this key over this very record."""
    mac = record.get("mac")
    # compared as bytes: of text, compare_digest takes ASCII alone and raises for the rest
    return isinstance(mac, str) and hmac.compare_digest(mac.encode("utf-8", "replace"), seal(record, key).encode())
