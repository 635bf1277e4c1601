"""The first failure is quoted; no cause is named without proof."""

import pytest

from engines.diagnosis.first_look import first_look

LOG = """[rank0] step 1
[rank1] Traceback (most recent call last):
[rank1]   File "train.py", line 3, in <module>
[rank1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
[rank0] torch.distributed.DistBackendError: connection closed by peer
"""


def test_the_first_error_in_the_log_is_the_first_failure() -> None:
    found = first_look(reason="exit status 1", log=LOG, run_dir="/h/runs/r-1")
    assert found.verdict == "unknown"
    assert found.causes == ()
    assert found.first_failure == "[rank1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    assert any("/h/runs/r-1" in item for item in found.needed)


@pytest.mark.parametrize("line", ["KeyboardInterrupt: x", "SystemExit: 1", "ValueError: bad", "my.pkg.OddException: y"])
def test_error_lines_are_known_by_their_form(line: str) -> None:
    assert first_look(log=f"step 1\n{line}\n").first_failure == line


@pytest.mark.parametrize("line", ["no errors so far", "Errors: none were counted", "loss 1.0"])
def test_other_lines_are_not(line: str) -> None:
    assert first_look(reason="killed by signal 9", log=line).first_failure == "killed by signal 9"


def test_without_anything_it_says_what_to_collect() -> None:
    found = first_look()
    assert found.first_failure is None
    assert "the logs of all ranks" in found.needed[0]
    assert "NCCL_DEBUG=INFO" in found.needed
