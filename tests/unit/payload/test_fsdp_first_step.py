"""The first-step check on two gloo ranks: what each mistake looks like at run time, and silence on good code."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAYLOAD = ROOT / "runners" / "payload"

CASES = """
import os, sys
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
import fsdp_first_step

dist.init_process_group("gloo")
RANK = dist.get_rank()
OUT = os.environ["CASES_OUT"]
torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = torch.nn.Linear(4, 8)
        self.layers = torch.nn.ModuleList([torch.nn.Linear(8, 8) for _ in range(3)])

    def forward(self, x):
        x = self.emb(x)
        for layer in self.layers:
            x = layer(x)
        return x


def shard(net, root=True, layers=True):
    for layer in net.layers if layers else ():
        fully_shard(layer)
    if root:
        fully_shard(net)
    return net


def train(net, opt, same=False, forwards=1):
    generator = torch.Generator().manual_seed(7 if same else 7 + RANK)
    for _ in range(2):
        for _ in range(forwards):
            net(torch.randn(2, 4, generator=generator)).sum().backward()
        opt.step()
        opt.zero_grad()


def sgd(net):
    return torch.optim.SGD(net.parameters(), lr=0.1)


def good():
    net = shard(Net())
    train(net, sgd(net))

def optimizer_first():
    net = Net()
    opt = sgd(net)
    train(shard(net), opt)

def root_forgotten():
    net = shard(Net(), root=False)
    train(net, sgd(net))

def root_only():
    net = shard(Net(), layers=False)
    train(net, sgd(net))

def nothing():
    net = Net()
    train(net, sgd(net))

def same_batch():
    net = shard(Net())
    train(net, sgd(net), same=True)

def left_out():
    net = shard(Net())
    train(net, torch.optim.SGD(net.layers.parameters(), lr=0.1))

def two_dtypes():
    net = Net()
    net.emb.bias = torch.nn.Parameter(net.emb.bias.detach().double())
    opt = sgd(net)
    for param in net.parameters():
        param.grad = torch.zeros_like(param)
    watching.roots = [shard(net)]
    opt = sgd(net)
    opt.step()

def forwards_differ():
    net = Net()  # nothing is sharded here: a sharded one would hang
    train(net, sgd(net), forwards=1 + RANK)

def fsdp1():
    net = Net()
    for i, layer in enumerate(net.layers):
        net.layers[i] = FullyShardedDataParallel(layer, device_id=torch.device("cpu"))
    net = FullyShardedDataParallel(net, device_id=torch.device("cpu"))
    train(net, sgd(net))


fsdp_first_step.watching.remove()
for case in (good, optimizer_first, root_forgotten, root_only, nothing, same_batch, left_out, two_dtypes,
             forwards_differ, fsdp1):
    folder = os.path.join(OUT, case.__name__)
    os.makedirs(folder, exist_ok=True)
    os.environ["FSDP_RUN_DIR"] = folder
    watching = fsdp_first_step.FirstStep()
    case()
    assert watching.handles == [], "the hooks are gone after the first step"
    dist.barrier()
from torch.nn.modules.module import _global_forward_pre_hooks
from torch.optim.optimizer import _global_optimizer_pre_hooks
assert not _global_forward_pre_hooks and not _global_optimizer_pre_hooks
dist.destroy_process_group()
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)  # a thread of gloo may abort an interpreter that goes away
"""

SCRIPT = """
import os, sys
import torch
model = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 4)).sum().backward()
opt.step()
print("trained", sys.argv[1:], __name__)
"""

EXPECTED = {
    "good": set(),
    "optimizer_first": {("optimizer-holds-dead-parameters", "error")},
    "root_forgotten": {("root-not-sharded", "error"), ("parameter-not-sharded", "error")},
    "root_only": {("one-unit", "warning")},
    "nothing": {("nothing-sharded", "error")},
    "same_batch": {("same-batch-on-every-rank", "error")},
    "left_out": {("parameters-without-optimizer", "warning")},
    "two_dtypes": {("mixed-dtype-unit", "error"), ("no-gradient", "warning")},
    "forwards_differ": {("nothing-sharded", "error"), ("different-number-of-forwards", "error")},
    "fsdp1": set(),
}


def _events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def _environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FSDP_", "RANK", "WORLD"))}
    return {**kept, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PAYLOAD), **more}


@pytest.mark.train
@pytest.mark.timeout(280)
def test_each_mistake_is_reported_once_and_good_code_is_not(tmp_path: Path) -> None:
    script = tmp_path / "cases.py"
    script.write_text(CASES)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    done = subprocess.run(
        command, env=_environment(CASES_OUT=str(tmp_path)), capture_output=True, text=True, timeout=270, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for case, expected in EXPECTED.items():
        (event,) = _events(tmp_path / case)
        assert (event["kind"], event["step"]) == ("first_step_check", 0)
        assert event["data"]["ranks"] == 2
        found = {(finding["code"], finding["severity"]) for finding in event["data"]["findings"]}
        assert found == expected, (case, event["data"]["findings"])
    (event,) = _events(tmp_path / "good")
    units = {unit["unit"]: unit for unit in event["data"]["units"]}
    assert units.keys() == {"(root)", "layers.0", "layers.1", "layers.2"}
    assert units["(root)"]["parameters"] == 4 * 8 + 8
    assert units["layers.1"] == {"unit": "layers.1", "parameters": 8 * 8 + 8, "dtypes": ["float32"]}


@pytest.mark.train
def test_it_runs_a_script_that_knows_nothing_of_it(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(PAYLOAD / "fsdp_first_step.py"), str(script), "--lr", "1"],
        env=_environment(FSDP_RUN_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "trained ['--lr', '1'] __main__\n"
    (event,) = _events(tmp_path)
    assert [finding["code"] for finding in event["data"]["findings"]] == ["nothing-sharded"]
    assert "nothing-sharded" in done.stderr
