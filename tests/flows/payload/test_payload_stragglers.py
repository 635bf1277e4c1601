"""A rank that is really slow is noticed by its supervisor, though all ranks' steps take equally long."""

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from contracts.recipe import Recipe
from contracts.request import Request
from runners import prepare_launch
from tests.job_shop import JobShop, shop

__all__ = ["shop"]
pytestmark = [pytest.mark.train, pytest.mark.slow]

STEPS_S = 200
"""How long a notice may take: three windows of 10 s, on a machine that is busy."""


@pytest.fixture
def request_of(corpus, make_model, llama_config):
    """A request for a model whose forward takes much longer than a hand-over between processes."""
    folder = make_model("wide", llama_config(hidden_size=256, intermediate_size=512, num_hidden_layers=4))
    return Request.model_validate(
        {
            "intent": "run",
            "model": {"path": str(folder)},
            "data": {"train": str(corpus / "train.jsonl")},
            "hardware": {"ranks": 2, "device": "cpu"},
        }
    )


@contextlib.contextmanager
def held_up(pid: int) -> Iterator[None]:
    """Let a process run for a quarter of the time: as on a core that it shares, or that is throttled."""
    over = threading.Event()

    def hold() -> None:
        with contextlib.suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.03)
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.01)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def test_a_rank_that_gets_less_of_its_core_is_named(shop: JobShop, request_of: Request) -> None:
    recipe = Recipe(steps=100_000, seq_len=64, micro_batch=16, checkpoint_every=0, export=False, param_dtype="fp32")
    run = shop.submit(prepare_launch(request_of, recipe, shop.home).launch)
    shop.until_step(run.run_id, 2)
    with held_up(shop.rank_pid(run.run_id, 1)):
        deadline = time.monotonic() + STEPS_S
        while not (found := [n for n in shop.runner.notices(run.run_id) if n.kind == "straggler"]):
            assert time.monotonic() < deadline, (shop.run_dir(run.run_id) / "hb" / "1.json").read_text()
            time.sleep(0.5)
    beats = [json.loads((shop.run_dir(run.run_id) / "hb" / f"{rank}.json").read_text())["spent"] for rank in (0, 1)]
    print(found[0].message, beats)
    assert found[0].message.startswith("rank 1 holds the others up: ")
    assert "slow at computing" in found[0].message
    shop.runner.cancel(run.run_id)
    assert shop.wait(run.run_id).state == "cancelled"
