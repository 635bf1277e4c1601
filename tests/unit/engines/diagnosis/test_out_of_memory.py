"""An out of memory message excludes causes of other failures; its own numbers name a full card."""

import pytest

from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_text

MESSAGE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.75 GiB. GPU 5 has a total capacity of 44.52 GiB of"
    " which 820.00 MiB is free. Process 4021 has 43.70 GiB memory in use. Of the allocated memory 42.30 GiB is"
    " allocated by PyTorch, and 180.00 MiB is reserved by PyTorch but unallocated."
)
TRACEBACK = 'Traceback (most recent call last):\n  File "/a/fit.py", line 9, in fit\n    {}\n'


@pytest.mark.parametrize(
    "statement", ["grads = engine.backward(err)", "optim.step()", "h = self.mlp(h)", "net = net.to(0)"]
)
def test_tensors_that_fill_the_card_are_the_cause_wherever_it_ran_out(statement: str) -> None:
    found = diagnose_text(read_text(TRACEBACK.format(statement) + MESSAGE, "log"))
    assert found.verdict == "diagnosed"
    assert found.causes[0].cause == "memory-exceeds-gpu"
    assert found.causes[0].confidence >= 0.5
    assert "42.30 GiB of 44.52 GiB" in found.causes[0].fix
    assert "estimate" in found.causes[0].fix


def test_no_cause_of_another_failure_stands_beside_it() -> None:
    found = diagnose_text(read_text(TRACEBACK.format("state = opt.init_group(params)") + MESSAGE, "log"))
    assert not {cause.cause for cause in found.causes} & {
        "exception-in-user-code",
        "package-missing",
        "process-group-not-initialized",
        "mixed-tensor-and-dtensor",
    }


def test_another_failure_with_its_own_message_stays() -> None:
    text = f"OSError: [Errno 98] Address already in use: bind to 0.0.0.0:29500 failed\n{MESSAGE}"
    assert "master-port-in-use" in {cause.cause for cause in diagnose_text(read_text(text, "log")).causes}


def test_pieces_larger_than_the_request_still_say_fragmentation() -> None:
    text = TRACEBACK.format("loss.backward()") + MESSAGE.replace("180.00 MiB", "9.10 GiB")
    assert diagnose_text(read_text(text, "log")).causes[0].cause == "allocator-fragmentation"
