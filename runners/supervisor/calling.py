"""Tell the server that a run has ended: a signed hint, sent until it is heard or a few minutes are over.

A process of its own, so that the run folder's lock is free meanwhile. Where to call comes
from the server's own configuration (`callback.json` in the home folder, written by the
server, mode 0600) and from nowhere else; no redirect and no proxy is followed. Whoever
hears it reads the run folder: the hint carries no truth. Standard library only.
"""

import hashlib
import hmac
import http.client
import json
import os
import stat
import time
import urllib.error
import urllib.request
from typing import Any

from runners.files import read_object
from runners.home import Home
from runners.rundir import RunDir

SIGNATURE_HEADER = "X-FSDP-Signature"
"""HMAC-SHA256 of the body with the run's key, in hexadecimal."""
PAUSES_S = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Seconds before each try: two minutes in all; after that `reconcile` is the way."""
_TIMEOUT_S = 15.0
_FINAL = frozenset({400, 401, 403, 404, 409, 422})
"""Answers that another try would not change."""


def hint_signature(home: Home, run_id: str, body: bytes) -> str:
    """Return the signature of a hint, in hexadecimal; each run signs with a key of its own.

    Raises:
        OSError: The secret behind it cannot be made or read.
    """
    key = hmac.new(home.secret("callback"), run_id.encode(), hashlib.sha256).digest()
    return hmac.new(key, body, hashlib.sha256).hexdigest()


def call(run: RunDir, pauses_s: tuple[float, ...] = PAUSES_S) -> bool:
    """Send the hint until it is heard; return whether it was.

    Args:
        run: A run that has ended.
        pauses_s: Seconds before each try.
    """
    home = _home(run)
    for pause_s in pauses_s:
        time.sleep(pause_s)
        # read anew: the server may have come up elsewhere meanwhile
        url = _address(home)
        if url is None:
            continue
        heard = _post(url, home, run)
        if heard is not None:
            return heard
    return False


def _post(url: str, home: Home, run: RunDir) -> bool | None:
    """Return whether it was heard; None where another try may help."""
    state = read_object(run.path / "state.json") or {}
    hint = {"run_id": run.run_id, "state": state.get("state"), "attempt": state.get("attempt")}
    body = json.dumps(hint, sort_keys=True).encode()
    headers = {"Content-Type": "application/json", SIGNATURE_HEADER: hint_signature(home, run.run_id, body)}
    request = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310 - `_address` lets http(s) pass
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)
    try:
        with opener.open(request, timeout=_TIMEOUT_S) as answer:
            return bool(200 <= answer.status < 300)
    except urllib.error.HTTPError as error:
        error.close()
        return False if error.code in _FINAL else None
    except (OSError, http.client.HTTPException):
        return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


def _address(home: Home) -> str | None:
    """Return where to call; None where no server says so, or others could have written it."""
    try:
        found = home.callback.stat()
    except OSError:
        return None
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        return None
    url = (read_object(home.callback) or {}).get("url")
    return url if isinstance(url, str) and url.startswith(("http://", "https://")) else None


def _home(run: RunDir) -> Home:
    return Home(run.path.parents[1])


def main(run_dir: str) -> int:
    """Call for one run; return the exit status."""
    return 0 if call(RunDir(run_dir)) else 1
