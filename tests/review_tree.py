"""A tree of files to review, put together from the fixtures, and a program that measures a review of it."""

from pathlib import Path

CASES = Path(__file__).parent / "cases"
LINES_PER_FILE = 300

MEASURE = """
import json, resource, sys
from engines.review.engine import review_paths
files = len(review_paths(sys.argv[1:]).files)
used = resource.getrusage(resource.RUSAGE_SELF)
# ru_maxrss would not do: a child inherits its parent's peak across exec
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps({"files": files, "cpu_s": used.ru_utime + used.ru_stime, "peak_kib": peak}))
"""
"""Takes folders; prints files read, CPU seconds and the peak of resident memory in KiB as JSON."""


def write_tree(folder: Path, files: int) -> None:
    """Write files of 300 lines or a little more; each part is a whole file, so all parse."""
    texts = [path.read_text() for path in sorted(CASES.glob("review*/**/*.py"))]
    for number in range(files):
        lines: list[str] = []
        index = number * 7
        while len(lines) < LINES_PER_FILE:
            lines += texts[index % len(texts)].splitlines()
            index += 1
        (folder / f"f{number}.py").write_text("\n".join(lines) + "\n")
