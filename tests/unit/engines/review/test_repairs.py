"""What a repair offers: the finding is gone, no other line has changed, and the result parses."""

import ast
import difflib
from pathlib import Path

import pytest

from contracts.finding import Finding
from engines.review.edits import EditConflict, apply_edits, unified_diff
from engines.review.engine import review_source
from engines.review.repairs import REPAIRS

CASES = Path(__file__).parents[3] / "cases"

MENDABLE = {
    "FSDP053": (
        "export.py",
        "from torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n\n\n"
        "def export(model):\n"
        "    with FSDP.summon_full_params(model, rank0_only=True, offload_to_cpu=True):\n"
        "        return dict(model.named_buffers())\n",
        "FSDP.summon_full_params(model, rank0_only=True, offload_to_cpu=True, writeback=False)",
    ),
    "FSDP054": (
        "load.py",
        "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n\n\n"
        "def main(build, path):\n    model = build()\n    model.load_state_dict(torch.load(path))\n"
        "    return FSDP(model)\n",
        'torch.load(path, map_location="cpu")',
    ),
    "FSDP060": (
        "policy.py",
        "import torch\nfrom torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard\n\n\n"
        "def main(model, mesh):\n    é = MixedPrecisionPolicy(\n        param_dtype=torch.bfloat16,\n    )\n"
        "    for block in model.blocks:\n        fully_shard(block, mesh=mesh, mp_policy=é)\n"
        "    fully_shard(model, mesh=mesh, mp_policy=é)\n",
        "        param_dtype=torch.bfloat16, reduce_dtype=torch.float32,",
    ),
    "FSDP067": (
        "clip.py",
        "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n\n\n"
        "def main(build, loader, opt):\n    model = FSDP(build())\n    for x in loader:\n        opt.zero_grad()\n"
        "        model(x).sum().backward()\n"
        "        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        opt.step()\n    return norm\n",
        "        norm = model.clip_grad_norm_(1.0)",
    ),
    "FSDP070": (
        "norm.py",
        "import torch\nfrom torch.distributed.fsdp import fully_shard\n\n\n"
        "def step(model, mesh):\n    for block in model.blocks:\n        fully_shard(block, mesh=mesh)\n"
        "    fully_shard(model, mesh=mesh)\n    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
        '    print(f"norm {norm:.3f}")\n',
        'f"norm {norm.item():.3f}"',
    ),
    "FSDP080": (
        "forward.py",
        "from torch.distributed.fsdp import fully_shard\n\n\n"
        "def step(model, x, mesh):\n    for block in model.blocks:\n        fully_shard(block, mesh=mesh)\n"
        "    fully_shard(model, mesh=mesh)\n    return model.forward(\n        x,\n    ).sum()\n",
        "    return model(",
    ),
    "FSDP088": (
        "evaluate.py",
        "import torch\nfrom torch.distributed.fsdp import fully_shard\n\n\n"
        "def evaluate(model, loader):\n    return sum(model(x).sum() for x in loader)\n\n\n"
        "def main(model, loader, mesh):\n    for block in model.blocks:\n        fully_shard(block, mesh=mesh)\n"
        "    fully_shard(model, mesh=mesh)\n    return evaluate(model, loader)\n",
        "@torch.no_grad()\ndef evaluate(model, loader):",
    ),
    "FSDP105": (
        "sync.py",
        "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
        "from transformers import AutoModel\n\n\n"
        "def main(name, policy):\n    model = AutoModel.from_pretrained(name)\n"
        "    return FSDP(model, auto_wrap_policy=policy, sync_module_states=True)\n",
        "sync_module_states=True, device_id=torch.cuda.current_device())",
    ),
    "FSDP111": (
        "recompute.py",
        "from torch.distributed.fsdp import fully_shard\nfrom torch.utils.checkpoint import checkpoint\n\n\n"
        "def run(block, x, mesh):\n    fully_shard(block, mesh=mesh)\n"
        "    return checkpoint(block, x, use_reentrant=True)\n",
        "checkpoint(block, x, use_reentrant=False)",
    ),
    "FSDP120": (
        "imports.py",
        "from torch.distributed._composable import fully_shard  # old\n\n\ndef shard(model):\n    fully_shard(model)\n",
        "from torch.distributed.fsdp import fully_shard  # old",
    ),
    "HF202": (
        "accelerate.yaml",
        "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n  fsdp_forward_prefetch: true\n"
        "  fsdp_reshard_after_forward: true\n",
        "  fsdp_version: 2\n  fsdp_reshard_after_forward: true",
    ),
    "LN402": (
        "launch.sh",
        "#!/bin/bash\ntorchrun train.py --lr 1e-4\n",
        "torchrun --nproc-per-node=gpu train.py --lr 1e-4",
    ),
    "LN406": (
        "env.sh",
        "export NCCL_BLOCKING_WAIT=1\ntorchrun --nproc-per-node=8 train.py\n",
        "export TORCH_NCCL_BLOCKING_WAIT=1",
    ),
    "LN408": (
        "alloc.sh",
        "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\ntorchrun --nproc-per-node=8 train.py\n",
        "export PYTORCH_ALLOC_CONF=expandable_segments:True",
    ),
    "RV001": (
        "silenced.py",
        "from torch.distributed.fsdp import fully_shard\n\n\ndef shard(model):\n"
        "    fully_shard(model)  # fsdp: ignore[FSDP008] once tied\n",
        "    fully_shard(model)\n",
    ),
}
"""For each rule with a repair: a file, and what must stand in it afterwards."""


def _of(rule: str, findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]


def test_every_repair_is_tried() -> None:
    assert MENDABLE.keys() == REPAIRS.keys()


@pytest.mark.parametrize("rule", sorted(MENDABLE))
def test_a_repair_mends_its_finding_and_nothing_else(rule: str) -> None:
    name, text, expected = MENDABLE[rule]
    found = _of(rule, review_source(text, name))
    edits = [edit for finding in found for edit in finding.edits]
    assert len(found) == len(edits) == 1
    after = apply_edits(text, edits)
    assert expected in after
    assert _of(rule, review_source(after, name)) == []
    if name.endswith(".py"):
        ast.parse(after)
    (edit,) = edits
    before, left = text.splitlines(), after.splitlines()
    touched = range(edit.line - 1, edit.line - 1 + len(edit.old))
    for tag, start, end, *_ in difflib.SequenceMatcher(None, before, left).get_opcodes():
        assert tag == "equal" or tag == "insert" or set(range(start, end)) <= set(touched)
    assert len(left) - len(before) == len(edit.new) - len(edit.old)


def test_every_edit_of_every_fixture_applies_and_parses() -> None:
    tried = 0
    for path in sorted(CASES.glob("review*/**/*")):
        if path.suffix not in (".py", ".sh", ".yaml"):
            continue
        text = path.read_text()
        for finding in review_source(text, path.name):
            if finding.edits:
                after = apply_edits(text, finding.edits)
                assert after != text
                tried += 1
                if path.suffix == ".py":
                    ast.parse(after)
    assert tried > 10


def test_line_ends_and_a_missing_last_one_stay() -> None:
    _, text, _ = MENDABLE["LN406"]
    windows = text.replace("\n", "\r\n").removesuffix("\r\n")
    (finding,) = _of("LN406", review_source(windows, "env.sh"))
    after = apply_edits(windows, finding.edits)
    assert after == "export TORCH_NCCL_BLOCKING_WAIT=1\r\ntorchrun --nproc-per-node=8 train.py"


def test_an_edit_for_other_lines_is_refused() -> None:
    _, text, _ = MENDABLE["LN408"]
    (finding,) = _of("LN408", review_source(text, "alloc.sh"))
    with pytest.raises(EditConflict, match="line 1"):
        apply_edits("# a new first line\n" + text, finding.edits)


def test_a_diff_is_one_that_patch_reads() -> None:
    name, text, _ = MENDABLE["FSDP111"]
    (finding,) = _of("FSDP111", review_source(text, name))
    assert unified_diff(name, text, finding.edits).splitlines()[:2] == [f"--- a/{name}", f"+++ b/{name}"]
