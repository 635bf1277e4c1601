"""What cannot be said is lost, and nothing else."""

import subprocess
import sys

PROGRAM = "from runners.supervisor.complaining import complain; complain('a word \\u00e5'); print('goes on')"


def test_a_log_on_a_full_disk_stops_nobody() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=full)
    assert (done.returncode, done.stdout) == (0, b"goes on\n")


def test_a_closed_log_stops_nobody() -> None:
    closed = f"import os; os.close(2); {PROGRAM}"
    done = subprocess.run([sys.executable, "-c", closed], stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"goes on\n")


def test_what_can_be_said_is_said() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True)
    assert done.stderr.decode("utf-8") == "a word å\n"
