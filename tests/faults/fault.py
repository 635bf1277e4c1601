"""What a fault of the laboratory is: a real failing job, the cause to be found, and how it would be mended."""

import copy
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TIMEOUT = re.compile(r"timedelta\(seconds=\d+\)")
SCRIPTS = Path(__file__).parent / "scripts"


def merged(given: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a request with changes laid over it, key by key."""
    result = copy.deepcopy(given)
    for name, value in changes.items():
        inner = isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = merged(result[name], value) if inner else copy.deepcopy(value)
    return result


@dataclass(frozen=True)
class Fault:
    """One way to fail."""

    name: str
    """Its name; the script `scripts/<name>.py` is what runs, where it is no `train` job."""
    cause: str
    """Slug of the cause that has to be named first."""
    made: str
    """How it is made."""
    mend: str
    """How the fix looks."""
    edits: tuple[tuple[str, str], ...] = ()
    """The fix as changes of the script: what stands there, what is to stand there."""
    settings: dict[str, Any] = field(default_factory=dict)
    """The fix as changes of the request."""
    script: str = ""
    """Name of the script where it is not the fault's."""
    ranks: int = 2
    """Gloo ranks."""
    request: dict[str, Any] = field(default_factory=dict)
    """What the request says besides."""
    around: Callable[[Path], AbstractContextManager[dict[str, Any]]] = lambda folder: nullcontext({})
    """What has to stand around the job: prepares a folder, and yields changes of the request."""
    rank: str | None = None
    """Rank that has to be told as the first to leave the others; not asked for where None."""
    quick: bool = False
    """Whether it is made in the default tier too."""
    simulated: str = ""
    """What of it is not the real thing."""

    @property
    def recoverable(self) -> bool:
        """Whether a changed script or request makes the job finish."""
        return bool(self.edits or self.settings)

    @contextmanager
    def at(self, folder: Path) -> Iterator[dict[str, Any]]:
        """Prepare everything in a folder of its own, and yield the request of the job that will fail.

        The request is a `contracts.request.Request` as JSON data with `intent: run`. What it needs besides,
        such as a port that is held, lasts as long as the context.
        """
        asked = {"intent": "run", "hardware": {"device": "cpu", "ranks": self.ranks, "cores": 1}}
        source = SCRIPTS / f"{self.script or self.name}.py"
        if "recipe" not in self.request:
            script = folder / "train.py"
            script.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
            asked["script"] = {"path": str(script)}
        with self.around(folder) as changes:
            yield merged(merged(asked, self.request), changes)

    def mended(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the request with the fix in it; the script of the request is changed where the fix is one of it."""
        if self.edits:
            script = Path(request["script"]["path"])
            text = script.read_text(encoding="utf-8")
            for old, new in self.edits:
                assert text.count(old) == 1, f"{self.name}: {old!r} stands there {text.count(old)} times"
                text = text.replace(old, new)
            # short time-outs make a fault show soon; a busy machine may need longer for what is right
            script.write_text(_TIMEOUT.sub("timedelta(seconds=300)", text), encoding="utf-8")
        return merged(request, self.settings)
