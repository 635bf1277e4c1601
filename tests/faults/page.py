"""The laboratory as a table of `docs/fault-laboratory.md`.

python -m tests.faults.page            rewrites the table there, between its two marks
python -m tests.faults.page --make     makes every fault anew before, and records what was seen
python -m tests.faults.page --make A B makes these anew
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.faults.fault import Fault
from tests.faults.faults import FAULTS, GROUPS
from tests.faults.laboratory import found, made
from tests.job_shop import JobShop
from tests.marked_page import renewed

PAGE = Path(__file__).parents[2] / "docs" / "fault-laboratory.md"
SEEN = Path(__file__).with_name("seen.json")
BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"
_LINE_CHARS = 150


def seen() -> dict[str, dict[str, Any]]:
    """Return what was seen of each fault when it was last recorded."""
    return json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}


def table(known: dict[str, dict[str, Any]]) -> str:
    """Return the tables in Markdown."""
    lines = []
    for title, faults in GROUPS.items():
        lines += [
            f"### {title}",
            "",
            "| fault | first error line | what was found | fix |",
            "| --- | --- | --- | --- |",
        ]
        for fault in faults:
            one = known[fault.name]
            cause = f"`{one['cause']}` ({one['confidence']:.2f})"
            simulated = f" *Simulated: {fault.simulated}.*" if fault.simulated else ""
            holds = ", and the job finishes" if fault.recoverable else ""
            first = f"`{_cell(one['first_line'])}`" if one["first_line"] else "none"
            lines.append(f"| {_cell(fault.made)}.{simulated} | {first} | {cause} | {_cell(fault.mend)}{holds} |")
        lines.append("")
    return "\n".join(lines)


def page(before: str, known: dict[str, dict[str, Any]]) -> str:
    """Return a page with the tables in it anew.

    Raises:
        ValueError: The page has no marks.
    """
    return renewed(before, BEGIN, END, f"\n{table(known)}")


def record(fault: Fault, folder: Path) -> dict[str, Any]:
    """Make a fault and return what was seen of it."""
    shop = JobShop(folder)
    try:
        with made(fault, shop) as (run, _):
            diagnosis = found(shop, run)
    finally:
        shop.end_all()
    first = diagnosis.causes[0] if diagnosis.causes else None
    return {
        "first_line": _line(diagnosis.first_failure or ""),
        "verdict": diagnosis.verdict,
        "cause": first.cause if first else None,
        "confidence": first.confidence if first else 0.0,
    }


def _line(text: str) -> str:
    """Return a line without what differs from run to run: folders, process ids, ports, times."""
    text = re.sub(r"^\S+:\d+(?:, rank \d+)?: ", "", text)
    text = re.sub(r"[EW]\d{4} [\d:.]+ \d+ |\[[EW]\d{4} [\d:.]+ |\(pid: \d+\)|of binary: \S+", "", text)
    text = re.sub(r"(?:/[\w.+-]+){2,}/", ".../", text)
    text = re.sub(r"\bpid \d+", "pid N", re.sub(r"(?<=port: )\d+|(?<=\]:)\d+", "N", text))
    return " ".join(re.sub(r"^torch\S*api\.py:\d+\] ", "", text).split())[:_LINE_CHARS]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


def main(arguments: list[str]) -> None:
    """Record what is asked for, and write the page."""
    known = seen()
    if arguments[:1] == ["--make"]:
        for fault in FAULTS:
            if arguments[1:] and fault.name not in arguments[1:]:
                continue
            with tempfile.TemporaryDirectory() as folder:
                known[fault.name] = record(fault, Path(folder))
            print(fault.name, known[fault.name], flush=True)
            ordered = {each.name: known[each.name] for each in FAULTS if each.name in known}
            SEEN.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), known), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
