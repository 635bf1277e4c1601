"""The review, with what a project has decided: its settings, its baseline, and edits that are written."""

from __future__ import annotations

import os
import re
import tempfile
import tokenize
from collections.abc import Callable, Sequence
from fnmatch import translate
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.regular import read_whole

if TYPE_CHECKING:
    from contracts.finding import Edit, Finding, ReviewResult
    from contracts.review import ReviewSettings

_MAX_BASELINE_BYTES = 64 << 20
_MAX_FILE_BYTES = 4 << 20


class Options(NamedTuple):
    """What was asked for beside the paths."""

    torch: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: str | None = None
    isolated: bool = False
    """Whether no pyproject.toml is read."""


def review(paths: Sequence[str], options: Options) -> ReviewResult:
    """Return the mistakes that the baseline does not know.

    Args:
        paths: Files and folders; those of the settings where none is given.
        options: What was asked for; it goes before the settings.

    Raises:
        FileUnreadable: A path, or the baseline, cannot be read.
        RequestInvalid: The settings or the baseline are wrong, a rule that was asked for is none,
            or there is nothing to review.
    """
    from engines.review.baseline import unknown_to
    from engines.review.engine import review_paths

    for rule in (*options.select, *options.ignore):
        _check_rule(rule)
    settings, folder = _settings(paths, options)
    for rule in settings.select:
        _check_rule(rule)
    chosen = [*paths] or [str(folder / path) for path in settings.paths]
    if not chosen:
        raise RequestInvalid("nothing to review", hint="Name files or folders, or set tool.fsdp-agent.review.paths.")
    result = review_paths(chosen, options.torch, settings, _exclusion(settings.exclude, folder))
    name = options.baseline or (str(folder / settings.baseline) if settings.baseline else None)
    if name is None:
        return result
    try:
        text = read_whole(name, _MAX_BASELINE_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as err:
        raise FileUnreadable(f"{name}: {err}", hint="Write one with --write-baseline.") from None
    return result.model_copy(update={"findings": tuple(unknown_to(text, name, result.findings))})


def _check_rule(rule: str) -> None:
    from engines.review.registry import unknown_rule

    near = unknown_rule(rule)
    if near is not None:
        meant = f"Near: {', '.join(near)}." if near else "docs/review/README.md lists the rules; FSDP0 stands for many."
        raise RequestInvalid(f"no rule is called {rule}, and none begins so", hint=meant)


def _settings(paths: Sequence[str], options: Options) -> tuple[ReviewSettings, Path]:
    from contracts.review import ReviewSettings
    from engines.review.settings import read_settings, settings_file

    file = None if options.isolated else settings_file(paths)
    settings = read_settings(file) if file is not None else ReviewSettings()
    update = {"select": options.select or settings.select, "ignore": (*settings.ignore, *options.ignore)}
    return settings.model_copy(update=update), file.parent if file is not None else Path()


def _exclusion(patterns: Sequence[str], folder: Path) -> Callable[[str], bool] | None:
    if not patterns:
        return None
    compiled = [re.compile(translate(pattern.removeprefix("**/"))) for pattern in patterns]
    compiled += [re.compile(translate("*/" + pattern.removeprefix("**/"))) for pattern in patterns if "**/" in pattern]
    base = folder.absolute()

    def excluded(name: str) -> bool:
        path = Path(name).absolute()
        relative = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()
        return any(pattern.match(relative) for pattern in compiled)

    return excluded


def write_baseline(file: str, findings: Sequence[Finding]) -> None:
    """Write a baseline that knows all these findings, atomically.

    Raises:
        OSError: The file cannot be written.
    """
    from engines.review.baseline import baseline_text

    _replace(Path(file), baseline_text(findings).encode())


class Fixed(NamedTuple):
    """What was done to a file, or why not."""

    file: str
    edits: int
    problem: str = ""


def fix(findings: Sequence[Finding]) -> list[Fixed]:
    """Write the edits of findings into their files; encoding, line ends and all other lines stay.

    A file whose lines have changed since, or that would no longer parse, is left as it is.

    Args:
        findings: Findings with edits.
    """
    by_file: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.edits:
            by_file.setdefault(finding.file, []).extend(finding.edits)
    return [_fix_file(file, edits) for file, edits in by_file.items()]


def _fix_file(file: str, edits: Sequence[Edit]) -> Fixed:
    from engines.review.edits import EditConflict, apply_edits
    from engines.review.flow.parsing import Unparsable, parse

    path = Path(file)
    try:
        data = read_whole(path, _MAX_FILE_BYTES)
        encoding = tokenize.detect_encoding(BytesIO(data).readline)[0] if path.suffix == ".py" else "utf-8"
        text = data.decode(encoding)
        after = apply_edits(text, edits)
        if path.suffix == ".py":
            parse(after, file)
        _replace(path, after.encode(encoding))
    except (OSError, SyntaxError, UnicodeError, EditConflict, Unparsable) as err:
        return Fixed(file, 0, str(err))
    return Fixed(file, len(set(edits)))


def _replace(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all; a link stays a link, and the mode stays."""
    target = path.resolve()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o644)
        os.replace(temporary, target)  # noqa: PTH105 - the atomic one
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
