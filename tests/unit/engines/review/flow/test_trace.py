"""The interpreter: which calls happen, in which order, under which conditions."""

from collections.abc import Callable

import pytest

from engines.review.flow.project import Module, Project
from engines.review.flow.schedule import Schedule
from engines.review.flow.trace import Event, Trace, compatible

Read = Callable[[str], Trace]


@pytest.fixture
def read() -> Read:
    def reader(text: str) -> Trace:
        schedule = Schedule(Project([Module("m.py", "import lib  # fsdp\n" + text)]))
        ((_, trace),) = list(schedule.traces())
        assert schedule.machine.not_followed == []
        return trace

    return reader


def _one(trace: Trace, name: str) -> Event:
    (event,) = trace.calls(f"lib.{name}")
    return event


def test_order_runs_through_callees(read: Read) -> None:
    trace = read("def late():\n    lib.b()\n\ndef main():\n    lib.a()\n    late()\n    lib.c()\n")
    a, b, c = (_one(trace, name) for name in "abc")
    assert trace.before(a, b)
    assert trace.before(b, c)
    assert not trace.before(c, a)


def test_two_arms_are_not_on_one_path(read: Read) -> None:
    trace = read("def main(x):\n    if x:\n        lib.a()\n    else:\n        lib.b()\n    lib.c()\n")
    a, b, c = (_one(trace, name) for name in "abc")
    assert not compatible(a, b)
    assert trace.before(a, c)
    assert trace.before(b, c)


def test_an_early_return_is_a_condition_on_the_rest(read: Read) -> None:
    trace = read("def main(x):\n    if x:\n        lib.a()\n        return\n    lib.b()\n")
    assert not compatible(_one(trace, "a"), _one(trace, "b"))


@pytest.mark.parametrize("second", ["if not x.on:", "if x.on is None:\n        pass\n    elif not x.on:"])
def test_the_same_condition_twice_goes_the_same_way(read: Read, second: str) -> None:
    trace = read(f"def main(x):\n    if x.on:\n        lib.a()\n    {second}\n        lib.b()\n")
    assert not compatible(_one(trace, "a"), _one(trace, "b"))


def test_a_changed_condition_may_go_another_way(read: Read) -> None:
    trace = read("def main(x):\n    if x:\n        lib.a()\n    x = lib.f()\n    if not x:\n        lib.b()\n")
    assert compatible(_one(trace, "a"), _one(trace, "b"))


def test_init_comes_before_the_other_methods(read: Read) -> None:
    init = "class A:\n    def __init__(self):\n        lib.a()\n"
    trace = read(init + "    def f(self):\n        lib.b()\n    def g(self):\n        lib.c()\n")
    a, b, c = (_one(trace, name) for name in "abc")
    assert trace.before(a, b)
    assert trace.before(a, c)
    assert not trace.ordered(b, c)


@pytest.mark.parametrize(
    "text",
    [
        "def main():\n    lib.take(lib.make())\n",
        "def main():\n    x, y = lib.make(), 1\n    lib.take(x)\n",
        "def f(*, value):\n    lib.take(value)\n\ndef main():\n    f(value=lib.make())\n",
        "class A:\n    def __init__(self):\n        self.x = lib.make()\n    def f(self):\n        lib.take(self.x)\n",
        "class A:\n    @property\n    def x(self):\n        return lib.make()\n\ndef main():\n    lib.take(A().x)\n",
        "def main():\n    d = dict(k=lib.make())\n    lib.take(**d)\n",
        "from functools import partial\n\ndef main():\n    f = partial(lib.take, lib.make())\n    f()\n",
        "def main():\n    for i, x in enumerate([lib.make()]):\n        lib.take(x)\n",
        "def main():\n    lib.take((lambda v: v)(lib.make()))\n",
        "def gen():\n    yield lib.make()\n\ndef main():\n    for x in gen():\n        lib.take(x)\n",
        "def main(c):\n    x = lib.make() if c else lib.make()\n    with lib.ctx() as y:\n        lib.take(x)\n",
    ],
)
def test_values_arrive(read: Read, text: str) -> None:
    trace = read(text)
    made = {id(event.result) for event in trace.calls("lib.make")}
    (taken,) = trace.calls("lib.take")
    value = taken.args[0] if taken.args else taken.kwargs["k"]
    found = {id(option) for option in getattr(value, "options", (value,))}
    assert found
    assert found <= made


RANK_CONDITIONS = [
    ("if dist.get_rank() == 0:", True),
    ("if dist.get_rank() != 0:\n        return\n    if True:", True),
    ("if int(os.environ['RANK']) == 0 and x:", True),
    ("if x or not is_main_process():\n        return\n    if True:", True),
    ("if not dist.is_initialized() or dist.get_rank() == 0:", True),
    ("if rank % 8 == 0:", True),
    ("if accelerator.is_main_process:", True),
    ("if x or rank == 0:", False),
    ("if rank != -1:", False),
    ("if rank is not None:", False),
    ("if dist.get_rank(group) == 0:", False),
    ("if mesh.get_local_rank() == 0:", False),
    ("if dist.get_world_size() > 1:", False),
    ("if tp_rank == 0:", False),
]


@pytest.mark.parametrize(("condition", "parts"), RANK_CONDITIONS, ids=[c for c, _ in RANK_CONDITIONS])
def test_conditions_that_part_the_ranks(read: Read, condition: str, parts: bool) -> None:
    head = "import os\nimport torch.distributed as dist\n\ndef main(x, rank, group, mesh, accelerator, tp_rank):\n"
    trace = read(f"{head}    {condition}\n        lib.a()\n")
    event = _one(trace, "a")
    assert any(guard.divergent for guard in event.guards) is parts


def test_a_broadcast_value_no_longer_parts_them(read: Read) -> None:
    text = "import torch\nimport torch.distributed as dist\n\ndef main():\n    t = torch.tensor(dist.get_rank() == 0)\n"
    trace = read(text + "    dist.broadcast(t, src=0)\n    if t:\n        lib.a()\n")
    assert not any(guard.divergent for guard in _one(trace, "a").guards)


def test_a_decorator_can_be_a_rank_condition_or_a_context(read: Read) -> None:
    head = "import torch\nfrom pl import rank_zero_only\n\n"
    trace = read(head + "@rank_zero_only\ndef f():\n    lib.a()\n\n@torch.no_grad()\ndef g():\n    lib.b()\n")
    assert any(guard.divergent for guard in _one(trace, "a").guards)
    assert _one(trace, "b").under("torch.no_grad")
