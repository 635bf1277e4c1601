"""Who calls: a token's name, and whether its bearer may submit or also approve.

Two secrets are made at first use (`Home.secret`): the submitter's and the approver's.
Further tokens, one for each team or program, are kept as SHA-256 digests in
`secrets/tokens.json` (mode 0600); the token itself is shown once, when it is made.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from contracts.base import Contract
from contracts.errors import InputError, NotAllowed
from runners import Home

Right = Literal["submit", "approve"]
"""submit: ask, plan, start what is approved, follow and cancel its own; approve: also decide on launches."""

NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
"""Form of a token's name."""
RESERVED = ("submitter", "approver", "local")
"""Bearers of the two first secrets, and the person at this machine's command line."""


class Caller(Contract):
    """Somebody who was let in."""

    name: str
    """Who; threads and runs belong to this name."""
    right: Right
    """What is allowed."""

    @property
    def may_decide(self) -> bool:
        """Whether the caller holds the approver's right."""
        return self.right == "approve"


LOCAL = Caller(name="local", right="submit")
"""Whoever starts a program of ours on this machine: the command line, an MCP server over stdio."""


class Token(Contract):
    """What is kept of a token that was made."""

    name: str = Field(pattern=rf"^{NAME.pattern}$")
    """Who bears it."""
    right: Right
    """What it allows."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Digest of the token."""
    created_at: float
    """Seconds since the epoch."""


class Tokens:
    """The tokens of one home folder."""

    def __init__(self, home: Home) -> None:
        """Name the file; nothing is read or made."""
        self._home = home
        self._path = home.secrets / "tokens.json"

    def caller_of(self, token: str) -> Caller | None:
        """Return who bears a token; None where nobody does.

        Raises:
            NotAllowed: Others than the owner can read the file.
            OSError: A secret cannot be read.
        """
        digest = _digest(token.strip())
        known = [("approver", "approve", _digest(self._home.secret("approve").hex()))]
        known.append(("submitter", "submit", _digest(self._home.secret("submit").hex())))
        known += [(kept.name, kept.right, kept.sha256) for kept in self.kept()]
        found = None
        for name, right, expected in known:  # all of them: the time tells nothing
            if hmac.compare_digest(digest, expected):
                found = Caller.model_validate({"name": name, "right": right})
        return found

    def kept(self) -> tuple[Token, ...]:
        """Return the tokens that were made, the oldest first.

        Raises:
            NotAllowed: Others than the owner can read the file.
            InputError: Its content is not what this program wrote.
        """
        try:
            with open(self._path, "rb") as stream:
                if os.fstat(stream.fileno()).st_mode & 0o077:
                    raise NotAllowed(f"{self._path} can be read by others", hint=f"chmod 600 {self._path}")
                return tuple(Token.model_validate(entry) for entry in json.loads(stream.read()))
        except FileNotFoundError:
            return ()
        except (ValueError, ValidationError, TypeError) as error:
            raise InputError(f"{self._path} is damaged: {error}", hint="remove it and make the tokens anew") from None

    def add(self, name: str, right: Right) -> str:
        """Make a token and return it; it cannot be shown again.

        Raises:
            InputError: The name has another form, is reserved or taken.
        """
        if not NAME.fullmatch(name) or name in RESERVED:
            raise InputError(
                f"token name {name!r} is not allowed",
                hint=f"lower-case letters, digits, - and _, 32 at most; reserved: {', '.join(RESERVED)}",
            )
        kept = self.kept()
        if any(each.name == name for each in kept):
            raise InputError(f"there is a token {name!r} already", hint="remove it first, or rotate it")
        token = secrets.token_urlsafe(32)
        made = Token(name=name, right=right, sha256=_digest(token), created_at=time.time())
        self._write((*kept, made))
        return token

    def remove(self, name: str) -> None:
        """Take a token away: its bearer is a stranger from now on.

        Raises:
            InputError: There is none of this name.
        """
        kept = self.kept()
        left = tuple(each for each in kept if each.name != name)
        if len(left) == len(kept):
            known = ", ".join(each.name for each in kept) or "none"
            raise InputError(f"there is no token {name!r}", hint=f"known: {known}")
        self._write(left)

    def rotate(self, name: str) -> str:
        """Replace a token, or one of the two first secrets, and return the new one.

        A new approver's secret also ends every earlier approval: what was sealed with the
        old one starts, restarts and resumes nothing any more.

        Raises:
            InputError: There is none of this name.
        """
        right = {"submitter": "submit", "approver": "approve"}.get(name)
        if right is not None:
            (self._home.secrets / f"{right}.key").unlink(missing_ok=True)
            return self._home.secret(right).hex()
        [*found] = [each for each in self.kept() if each.name == name]
        self.remove(name)
        return self.add(name, found[0].right)

    def _write(self, tokens: tuple[Token, ...]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            json.dump([each.model_dump(mode="json") for each in tokens], stream, indent=1)
        Path(fresh).replace(self._path)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
