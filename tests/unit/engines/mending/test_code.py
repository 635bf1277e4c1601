"""Each mend of a script changes the lines of its fault and no others, and what only looks like it stays as it is."""

import textwrap
from typing import Any, NamedTuple

import pytest

from contracts.recipe import Recipe
from contracts.request import Request
from engines.mending.code import (
    after_sharding,
    batches,
    decisions,
    out_of_guard,
    precision,
    rendezvous,
    sizes,
    states,
    units,
    waiting,
)
from engines.mending.situation import Cure, Mend, Situation

PATH = "/job/train.py"


def situation(text: str, log: str = "", ranks: int = 2, **script: Any) -> Situation:
    request = {"intent": "run", "script": {"path": PATH, **script}, "hardware": {"device": "cpu", "ranks": ranks}}
    asked = Request.model_validate(request)
    return Situation(request=asked, recipe=Recipe(), ranks=ranks, sources={PATH: textwrap.dedent(text)}, log=log)


def mended(cure: Cure, text: str, **more: Any) -> str | None:
    mend = cure(situation(text, **more))
    return None if mend is None else mend.texts[PATH]


class Case(NamedTuple):
    cure: Cure
    before: str
    after: str


CASES = {
    "a collective alone in a rank guard": Case(
        out_of_guard.collective_out_of_guard,
        """\
        import torch.distributed as dist
        if dist.get_rank() == 0:
            dist.barrier()
        """,
        """\
        import torch.distributed as dist
        dist.barrier()
        """,
    ),
    "what one rank alone is to do stays guarded": Case(
        out_of_guard.collective_out_of_guard,
        """\
        def save(model, rank):
            if rank == 0:
                print("saving")
                options = StateDictOptions(full_state_dict=True)
                state = get_model_state_dict(model, options=options)
                torch.save(state, "weights.pt")
        """,
        """\
        def save(model, rank):
            options = StateDictOptions(full_state_dict=True)
            state = get_model_state_dict(model, options=options)
            if rank == 0:
                print("saving")
                torch.save(state, "weights.pt")
        """,
    ),
    "the rank is one condition among others": Case(
        out_of_guard.collective_out_of_guard,
        """\
        for step in range(9):
            if step % 3 == 0 and accelerator.is_main_process:
                norm = model.weight.full_tensor().norm()
                print(norm)
        """,
        """\
        for step in range(9):
            if step % 3 == 0:
                norm = model.weight.full_tensor().norm()
            if step % 3 == 0 and accelerator.is_main_process:
                print(norm)
        """,
    ),
    "a function that guards by itself what it writes": Case(
        out_of_guard.collective_out_of_guard,
        """\
        def save(model):
            state = get_model_state_dict(model)
            if dist.get_rank() == 0:
                torch.save(state, "weights.pt")

        if rank == 0:
            save(model)
        """,
        """\
        def save(model):
            state = get_model_state_dict(model)
            if dist.get_rank() == 0:
                torch.save(state, "weights.pt")

        save(model)
        """,
    ),
    "one rank alone casts the model": Case(
        out_of_guard.one_dtype_on_all,
        """\
        if dist.get_rank() == 0:
            model.to(torch.bfloat16)
        fully_shard(model)
        """,
        """\
        fully_shard(model)
        """,
    ),
    "an optimizer and its schedule": Case(
        after_sharding.optimizer_after_sharding,
        """\
        def main():
            model = Model()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
            for layer in model.layers:
                fully_shard(layer)
            fully_shard(model)
            train(model, optimizer, schedule)
        """,
        """\
        def main():
            model = Model()
            for layer in model.layers:
                fully_shard(layer)
            fully_shard(model)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
            train(model, optimizer, schedule)
        """,
    ),
    "a function of the script shards": Case(
        after_sharding.optimizer_after_sharding,
        """\
        def shard(model):
            for layer in model.layers:
                fully_shard(layer)
            return fully_shard(model)

        model = Model()
        optimizer = torch.optim.SGD(model.parameters())
        model = shard(model)
        """,
        """\
        def shard(model):
            for layer in model.layers:
                fully_shard(layer)
            return fully_shard(model)

        model = Model()
        model = shard(model)
        optimizer = torch.optim.SGD(model.parameters())
        """,
    ),
    "a fixed port": Case(
        rendezvous.launchers_rendezvous,
        """\
        import os
        os.environ["MASTER_ADDR"] = "localhost"
        os.environ.setdefault("MASTER_PORT", "29500")
        dist.init_process_group("nccl", init_method="tcp://10.0.0.1:29500", timeout=limit)
        """,
        """\
        import os
        dist.init_process_group("nccl", timeout=limit)
        """,
    ),
    "Slurm's rank under torchrun": Case(
        rendezvous.launchers_ranks,
        """\
        rank, local = int(os.environ["SLURM_PROCID"]), int(os.environ.get("SLURM_LOCALID", 0))
        """,
        """\
        rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", 0))
        """,
    ),
    "NCCL without GPUs": Case(
        rendezvous.gloo_on_cpu,
        'dist.init_process_group(backend="nccl")\n',
        'dist.init_process_group(backend="gloo")\n',
    ),
    "a GPU where there is none": Case(
        rendezvous.cpu_in_place_of_gpu,
        'device = torch.device("cuda", rank)\ntorch.cuda.set_device(rank)\n',
        'device = torch.device("cpu")\n',
    ),
    "loaders of different lengths": Case(
        batches.fewest_batches,
        """\
        import torch
        import torch.distributed as dist

        def epoch(loader):
            for step, batch in enumerate(loader):
                model(batch).sum().backward()

        epoch(DataLoader(data))
        """,
        """\
        import torch
        import torch.distributed as dist
        import itertools

        def epoch(loader):
            fewest_batches = torch.tensor(len(loader), device="cpu")
            dist.all_reduce(fewest_batches, op=dist.ReduceOp.MIN)
            for step, batch in enumerate(itertools.islice(loader, int(fewest_batches.item()))):
                model(batch).sum().backward()

        epoch(DataLoader(data))
        """,
    ),
    "workers that are ended from outside": Case(
        batches.no_workers,
        "loader = DataLoader(data, num_workers=8, prefetch_factor=4, batch_size=2, persistent_workers=True)\n",
        "loader = DataLoader(data, num_workers=0, batch_size=2)\n",
    ),
    "a sampler for another number of ranks": Case(
        batches.sampler_for_all,
        "import torch.distributed as dist\nsampler = DistributedSampler(data, num_replicas=8, rank=rank)\n",
        "import torch.distributed as dist\n"
        "sampler = DistributedSampler(data, num_replicas=dist.get_world_size(), rank=rank)\n",
    ),
    "a mesh for another number of ranks": Case(
        batches.sampler_for_all,
        'import torch.distributed as dist\nmesh = init_device_mesh("cuda", (2, 4))\n',
        'import torch.distributed as dist\nmesh = init_device_mesh("cuda", (2, dist.get_world_size() // 2))\n',
    ),
    "inputs that the policy leaves": Case(
        precision.cast_inputs,
        "policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, cast_forward_inputs=False)\n",
        "policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)\n",
    ),
    "inputs inside of an object": Case(
        precision.cast_hidden_inputs,
        """\
        class Model(Module):
            def forward(self, batch):
                hidden = batch["pixels"]
                return self.body(hidden)

        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
        """,
        """\
        class Model(Module):
            def forward(self, batch):
                hidden = batch["pixels"].to(torch.bfloat16) if batch["pixels"].is_floating_point() else batch["pixels"]
                return self.body(hidden)

        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
        """,
    ),
    "one part in fp32": Case(
        precision.one_dtype,
        "model.bfloat16()\nmodel.norm.to(torch.float32)\nfully_shard(model)\n",
        "model.bfloat16()\nfully_shard(model)\n",
    ),
    "each rank decides when to stop": Case(
        decisions.decide_together,
        """\
        import torch
        import torch.distributed as dist
        for step in range(100):
            loss.backward()
            if stopper.done(loss):
                print("stopping")
                break
        """,
        """\
        import torch
        import torch.distributed as dist
        for step in range(100):
            loss.backward()
            stop_on_any_rank = torch.tensor(float(bool(stopper.done(loss))), device="cpu")
            dist.all_reduce(stop_on_any_rank, op=dist.ReduceOp.MAX)
            if stop_on_any_rank.item() > 0:
                print("stopping")
                break
        """,
    ),
    "collectives in the order of a dictionary": Case(
        decisions.one_order,
        "for name, metric in metrics.items():\n    dist.all_reduce(metric)\n",
        "for name, metric in sorted(metrics.items(), key=lambda entry: str(entry[0])):\n    dist.all_reduce(metric)\n",
    ),
    "the group is gone before the last collective": Case(
        decisions.group_to_the_end,
        """\
        def main():
            dist.destroy_process_group()
            dist.all_reduce(total)
        """,
        """\
        def main():
            dist.all_reduce(total)
            dist.destroy_process_group()
        """,
    ),
    "a list of layers is no unit": Case(
        units.layers_as_units,
        """\
        class Model(Module):
            def __init__(self):
                self.layers = nn.ModuleList(blocks)

        fully_shard(model.layers, mesh=mesh)
        """,
        """\
        class Model(Module):
            def __init__(self):
                self.layers = nn.ModuleList(blocks)

        for layer in model.layers:
            fully_shard(layer, mesh=mesh)
        """,
    ),
    "frozen and trained in one flat parameter": Case(
        units.whole_flat_parameter,
        "model = FSDP(model, device_id=device)\n",
        "model = FSDP(model, device_id=device, use_orig_params=True)\n",
    ),
    "tied weights": Case(
        units.tied_in_one_unit,
        """\
        model.head.weight = model.embedding.weight
        fully_shard(model.head)
        fully_shard(model.embedding)
        fully_shard(model)
        """,
        "model.head.weight = model.embedding.weight\nfully_shard(model)\n",
    ),
    "a method beside forward": Case(
        units.registered_method,
        """\
        import torch

        class Model(Module):
            def encode(self, x):
                return self.body(x)

            def forward(self, x):
                return self.head(self.encode(x))

        fully_shard(model)
        model.encode(x)
        """,
        """\
        import torch
        from torch.distributed.fsdp import register_fsdp_forward_method

        class Model(Module):
            def encode(self, x):
                return self.body(x)

            def forward(self, x):
                return self.head(self.encode(x))

        fully_shard(model)
        register_fsdp_forward_method(model, "encode")
        model.encode(x)
        """,
    ),
    "a weight without its module": Case(
        units.call_the_module,
        "logits = F.linear(hidden, self.head.weight)\n",
        "logits = self.head(hidden)\n",
    ),
    "a copy of a sharded model": Case(
        units.copy_before_sharding,
        "model = Model()\nfully_shard(model)\naverage = copy.deepcopy(model)\n",
        "model = Model()\naverage = copy.deepcopy(model)\nfully_shard(model)\nfully_shard(average)\n",
    ),
    "full weights": Case(
        states.full_state_into_shards,
        "import torch\nmodel.load_state_dict(weights)\noptimizer.load_state_dict(state)\n",
        "import torch\n"
        "from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict\n"
        "set_model_state_dict(model, weights, options=StateDictOptions(full_state_dict=True))\n"
        "optimizer.load_state_dict(state)\n",
    ),
    "a state that was never saved": Case(
        states.partial_load,
        "import torch\ndcp.load(state, checkpoint_id=path)\n",
        "import torch\n"
        "from torch.distributed.checkpoint import DefaultLoadPlanner\n"
        "dcp.load(state, checkpoint_id=path, planner=DefaultLoadPlanner(allow_partial_load=True))\n",
    ),
    "a schedule in the middle": Case(
        states.first_rate_known,
        "schedule = CosineAnnealingLR(optimizer, 10, last_epoch=5)\n",
        "for group in optimizer.param_groups:\n"
        '    group.setdefault("initial_lr", group["lr"])\n'
        "schedule = CosineAnnealingLR(optimizer, 10, last_epoch=5)\n",
    ),
    "FSDP1's clipping": Case(
        states.clip_by_torch,
        "import torch\nfully_shard(model)\nmodel.clip_grad_norm_(1.0)\n",
        "import torch\nfully_shard(model)\ntorch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n",
    ),
    "a learning rate that is too high": Case(
        states.gentler_steps,
        """\
        optimizer = AdamW(model.parameters(), lr=rate)
        loss.backward()
        optimizer.step()
        """,
        """\
        optimizer = AdamW(model.parameters(), lr=0.1 * (rate))
        loss.backward()
        torch.nn.utils.clip_grad_norm_((p for group in optimizer.param_groups for p in group["params"]), 1.0)
        optimizer.step()
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lines_of_the_fault_are_changed_and_no_others(name: str) -> None:
    cure, before, after = CASES[name]
    assert mended(cure, before) == textwrap.dedent(after)


# a rate can always be lower: there the rounds are the bound
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.cure is not states.gentler_steps])
def test_what_is_mended_is_not_mended_again(name: str) -> None:
    cure, _, after = CASES[name]
    assert mended(cure, after) is None


NEAR_MISSES = {
    "a write and a collective in one line": (
        out_of_guard.collective_out_of_guard,
        "if rank == 0:\n    torch.save(get_model_state_dict(model), path)\n",
    ),
    "a function that writes on every rank": (
        out_of_guard.collective_out_of_guard,
        "def save(model):\n    torch.save(get_model_state_dict(model), path)\n\nif rank == 0:\n    save(model)\n",
    ),
    "a guard with a part for the others": (
        out_of_guard.collective_out_of_guard,
        "if rank == 0:\n    dist.broadcast(a, 0)\nelse:\n    dist.broadcast(b, 0)\n",
    ),
    "no collective in the guard": (out_of_guard.collective_out_of_guard, "if rank == 0:\n    print(loss)\n"),
    "an optimizer after sharding": (
        after_sharding.optimizer_after_sharding,
        "fully_shard(model)\noptimizer = AdamW(model.parameters())\n",
    ),
    "a number of parameters": (
        after_sharding.optimizer_after_sharding,
        "if big:\n    optimizer = AdamW(model.parameters())\nfully_shard(model)\n",
    ),
    "sharding that takes the optimizer": (
        after_sharding.optimizer_after_sharding,
        "def shard(model, optimizer):\n    fully_shard(model)\n\n"
        "optimizer = AdamW(model.parameters())\nshard(model, optimizer)\n",
    ),
    "env:// is the launcher's": (
        rendezvous.launchers_rendezvous,
        'dist.init_process_group("gloo", init_method="env://")\n',
    ),
    "a loop that is no training": (
        batches.fewest_batches,
        "loader = DataLoader(d)\nfor batch in loader:\n    print(batch)\n",
    ),
    "no workers": (batches.no_workers, "loader = DataLoader(data, num_workers=0)\n"),
    "a mesh that the ranks do not divide": (batches.sampler_for_all, 'init_device_mesh("cpu", (3, 4))\n'),
    "a step count is the same on all ranks": (
        decisions.decide_together,
        "for step in steps:\n    loss.backward()\n    if step >= MAX_STEPS:\n        break\n",
    ),
    "a layer that is called": (units.layers_as_units, "fully_shard(model.body)\n"),
    "a linear of other tensors": (units.call_the_module, "F.linear(hidden, a.weight, b.bias)\n"),
    "clipping of FSDP1": (states.clip_by_torch, "model = FSDP(model)\nmodel.clip_grad_norm_(1.0)\n"),
    "no Python": (precision.cast_inputs, "MixedPrecisionPolicy(cast_forward_inputs=False\n"),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_only_looks_like_it_is_left_to_a_person(name: str) -> None:
    cure, text = NEAR_MISSES[name]
    assert mended(cure, text) is None


def test_line_ends_comments_and_bytes_beside_the_change_stay() -> None:
    text = "# Grüße 🙂\r\npolicy = MixedPrecisionPolicy(cast_forward_inputs=False)  # ä\r\nx = 1"
    assert mended(precision.cast_inputs, text) == "# Grüße 🙂\r\npolicy = MixedPrecisionPolicy()  # ä\r\nx = 1"


SLOW = "dist.init_process_group('gloo', timeout=timedelta(seconds=10))\n"


def test_a_time_out_is_raised_by_what_the_work_needs_at_its_pace() -> None:
    log = "[rank 1] waiting\n" + "".join(f"[rank 0] tokenizing shard {shard}/60\n" for shard in range(1, 21))
    # 20 of 60 within the time-out: 3 times as long is needed, and as much again is allowed
    assert mended(waiting.longer_time_out, SLOW, log=log) == SLOW.replace("timedelta", "6 * timedelta")


@pytest.mark.parametrize(
    "log",
    [
        "",
        "[rank 0] shard 20/60",
        "[rank 0] 3 of 8\n[rank 0] 3 of 8\n[rank 0] 3 of 8",
        "[rank 0] 1/9000\n[rank 0] 2/9000\n[rank 0] 3/9000",
        "[rank 0] 58/60\n[rank 0] 59/60\n[rank 0] 60/60",
        "".join(f"[rank {rank}] step {step}/9\n" for rank in (0, 1) for step in (1, 2, 3)),
        "[rank 0] 1/9\n[rank 0] 2/9\n[rank 0] 3/9\n[rank 0] now something else",
        "1/9\n2/9\n3/9",
    ],
    ids=["nothing", "one place", "stands", "hardly moves", "done", "all ranks", "something else", "no rank"],
)
def test_a_time_out_is_not_raised_where_nothing_shows_that_the_work_goes_on(log: str) -> None:
    assert mended(waiting.longer_time_out, SLOW, log=log) is None


def settings(cure: Cure, text: str = "", **more: Any) -> dict[str, Any]:
    mend = cure(situation(text, **more))
    assert isinstance(mend, Mend)
    return dict(mend.settings)


def test_a_batch_of_the_command_line_is_an_eighth_and_a_step_sees_as_much_where_that_can_be_said() -> None:
    args = ("--batch-size", "16", "--gradient-accumulation-steps=2")
    changed = {"script.args": ["--batch-size", "2", "--gradient-accumulation-steps=16"]}
    assert settings(sizes.smaller_batch, args=args) == changed
    assert settings(sizes.smaller_batch, args=("--bs=1", "--train-batch-size=6")) == {
        "script.args": ["--bs=1", "--train-batch-size=3"]
    }
    text = "import sys\nbatch = int(sys.argv[2])\n"
    assert settings(sizes.smaller_batch, text, args=("data", "64")) == {"script.args": ["data", "8"]}


@pytest.mark.parametrize(("text", "args"), [("", ("64",)), ("batch = int(sys.argv[1])\n", ("1",)), ("", ())])
def test_a_number_that_may_be_anything_is_no_batch(text: str, args: tuple[str, ...]) -> None:
    assert sizes.smaller_batch(situation(text, args=args)) is None
