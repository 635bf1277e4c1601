"""Tracebacks of ranks: what they raised, and where they waited. The logs are as torch 2.13 on gloo writes them."""

import pytest

from contracts.diagnosis import Diagnosis
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.line import Line
from engines.diagnosis.reading import Reading, read_stream, read_text
from engines.diagnosis.tracebacks import raised_in, waiting_stacks

C10D = "/v/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py"
MODEL = "/v/lib/python3.11/site-packages/torch/nn/modules/module.py"
LIBRARY = f'  File "{C10D}", line 4394, in {{}}\n    work.wait()\n'
TIMED_OUT = (
    "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 15000ms for recv operation to complete\n"
)
RESET = "RuntimeError: [gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:64711: Connection reset by peer.\n"
ABORTED = """\
terminate called after throwing an instance of 'gloo::EnforceNotMet'
  what():  [enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. {} vs {}. \
Received data size doesn't match expected size. Is there a distributed collective mismatch in your code?
Fatal Python error: Aborted

Thread 0x00007f7bbd08cb80 (most recent call first):
"""


def traceback(places: list[tuple[int, str, str]], end: str, call: str = "all_reduce") -> str:
    frames = "".join(f'  File "/srv/job/work.py", line {line}, in {name}\n    {code}\n' for line, name, code in places)
    return f"Traceback (most recent call last):\n{frames}{LIBRARY.format(call) if call else ''}{end}"


def fatal(sizes: tuple[int, int], frames: list[tuple[str, int, str]]) -> str:
    lines = "".join(f'  File "{file}", line {line} in {name}\n' for file, line, name in frames)
    return ABORTED.format(*sizes) + lines


def reading_of(*logs: str) -> Reading:
    """The logs of ranks 0, 1, ... as one reading."""
    import io

    reading = Reading()
    for rank, log in enumerate(logs):
        read_stream(io.BytesIO(log.encode()), f"{rank}/stderr.log", reading, str(rank))
    return reading


def diagnosed(*logs: str) -> Diagnosis:
    return diagnose_text(reading_of(*logs))


def test_an_exception_is_told_with_its_frames_and_whether_it_waited() -> None:
    log = traceback([(61, "<module>", "main()"), (40, "main", "dist.all_reduce(total)")], TIMED_OUT)
    [raised] = raised_in(read_text(log).lines)
    assert raised.waited
    assert [frame.function for frame in raised.frames] == ["all_reduce", "main", "<module>"]
    assert raised.code == "work.wait()"
    assert raised.place == ("<text>", 8)


def test_what_the_launcher_says_of_its_ranks_is_no_exception_of_a_rank() -> None:
    log = traceback([], "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n", "raise")
    assert raised_in(read_text(log).lines) == []


def test_an_exception_of_a_handler_is_told_beside_the_one_that_it_handled() -> None:
    first = traceback([(3, "load", "rows[0]")], "IndexError: list index out of range\n", "")
    second = traceback([(9, "main", "raise RuntimeError('no rows')")], "RuntimeError: no rows\n", "")
    log = f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{second}"
    assert [one.frames[0].line for one in raised_in(read_text(log).lines)] == [3, 9]


def test_where_no_rank_raised_by_itself_their_tracebacks_are_stacks() -> None:
    lines = reading_of(
        traceback([(40, "train", "loss.backward()")], TIMED_OUT), traceback([(80, "validate", "f()")], RESET)
    ).lines
    stacks = waiting_stacks(raised_in(lines), lines)
    assert {rank: stack.own[0].function for rank, stack in stacks.items()} == {0: "train", 1: "validate"}
    assert stacks[0].collective == "all_reduce"


def test_where_one_raised_by_itself_the_others_tell_nothing_of_a_parting() -> None:
    lines = reading_of(
        traceback([(40, "train", "f()")], RESET), traceback([(7, "parse", "f()")], "KeyError: 'x'\n", "")
    )
    assert waiting_stacks(raised_in(lines.lines), lines.lines) == {}


def test_the_stack_of_a_rank_that_gloo_ended_is_read_from_its_log() -> None:
    log = fatal((1088, 1024), [("/srv/job/work.py", 12, "save_weights"), ("/srv/job/work.py", 38, "<module>")])
    lines = reading_of(log).lines
    assert {rank: stack.own[0].line for rank, stack in waiting_stacks([], lines).items()} == {0: 12}


def test_a_rank_that_crashed_by_itself_did_not_wait() -> None:
    log = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f7bbd08cb80 (most recent call first):\n"
    log += '  File "/srv/job/work.py", line 12 in decode\n  File "/srv/job/work.py", line 38 in <module>\n'
    assert waiting_stacks([], reading_of(log).lines) == {}


@pytest.mark.parametrize(
    ("logs", "cause"),
    [
        (
            (
                fatal(
                    (1088, 1024),
                    [(C10D, 1, "all_gather"), ("/srv/job/w.py", 12, "save_weights"), ("/srv/job/w.py", 38, "<module>")],
                ),
                traceback([(27, "main", "loss.backward()")], RESET, "all_gather_single"),
            ),
            "rank-conditional-collective",
        ),
        (
            (
                traceback([(20, "train_epoch", "model(x)")], TIMED_OUT, "all_gather_single"),
                traceback([(41, "main", "score()"), (28, "score", "f()")], TIMED_OUT),
            ),
            "uneven-batches-per-rank",
        ),
        (
            (
                fatal(
                    (32, 4),
                    [(C10D, 1, "all_reduce"), ("/srv/job/w.py", 14, "reduce"), ("/srv/job/w.py", 2, "<module>")],
                ),
                traceback([(2, "<module>", "reduce(c)"), (14, "reduce", "dist.all_reduce(c)")], RESET).replace(
                    "work.py", "w.py"
                ),
            ),
            "collective-order-mismatch",
        ),
        (
            (
                fatal(
                    (816, 272),
                    [(MODEL, 1, "inner"), ("/srv/job/w.py", 21, "forward"), ("/srv/job/w.py", 2, "<module>")],
                ),
            ),
            "conditional-branch-per-rank",
        ),
        (
            (
                fatal(
                    (2048, 1024),
                    [(C10D, 1, "broadcast"), ("/srv/job/w.py", 9, "sync"), ("/srv/job/w.py", 2, "<module>")],
                ),
            ),
            "rank-dtype-mismatch-in-broadcast",
        ),
    ],
)
def test_where_ranks_were_tells_why_they_parted(logs: tuple[str, ...], cause: str) -> None:
    found = diagnosed(*logs)
    assert found.verdict == "diagnosed"
    assert found.causes[0].cause == cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("rank 0: saving checkpoint of step 3", "slow-save-exceeds-timeout"),
        ("tokenizing shard 20/60", "rank0-slow-work-before-collective"),
        ("waiting for batch 7 of s3", "one-rank-waits-for-data"),
    ],
)
def test_what_the_missing_rank_was_last_at_tells_why_it_did_not_come(said: str, cause: str) -> None:
    found = diagnosed(said, traceback([(12, "main", "dist.barrier()")], TIMED_OUT, "barrier"))
    assert found.causes[0].cause == cause


def test_an_error_of_the_jobs_own_code_goes_before_the_lost_connection_that_it_caused() -> None:
    mine = traceback([(61, "<module>", "main()"), (12, "parse", "float(field)")], "ValueError: could not convert\n", "")
    found = diagnosed(traceback([(40, "train", "f()")], RESET), mine)
    assert found.causes[0].cause == "exception-in-user-code"
    assert "rank 1 raised ValueError" in found.causes[0].evidence[0].text
    assert "work.py:12" in found.causes[0].evidence[0].text


def test_what_torch_raised_is_no_error_of_the_jobs_own_code() -> None:
    theirs = traceback([(61, "main", "loss.backward()")], "RuntimeError: the engine does not like this\n", "")
    assert all(cause.cause != "exception-in-user-code" for cause in diagnosed(theirs).causes)


def test_a_known_error_goes_before_the_place_where_it_was_raised() -> None:
    mine = traceback([(12, "load", "torch.cuda.init()")], "AssertionError: Torch not compiled with CUDA enabled\n", "")
    assert diagnosed(mine).causes[0].cause == "cuda-not-available"


def test_lines_without_a_rank_prove_nothing_of_ranks() -> None:
    lines = [Line("log", 1, None, "gloo::EnforceNotMet"), Line("log", 2, None, "Fatal Python error: Aborted")]
    assert waiting_stacks([], lines) == {}
