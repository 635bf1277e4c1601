"""What PyTorch's FSDPMemTracker says of a run: one JSON object of settings in, GiB out.

    python scripts/track_memory.py '{"shape": {...}, "setup": {...}}'

Runs in the interpreter that has torch and transformers. The tracker follows the real
`fully_shard` on fake tensors of device cpu for one step with its optimizer state made
before; models of `few` and of `twice few` layers stand for the whole one, for a layer adds
the same whatever their number is.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "runners" / "payload"))

FEW = 2
"""Layers of the smaller model."""

KEPT = ("ranks", "dp_shard", "dp_replicate", "micro_batch", "seq_len", "param_dtype", "reduce_dtype", "master_dtype",
        "optimizer", "optimizer_impl", "ac", "ac_every", "attention_kept", "loss_impl", "loss_chunks", "shifted_copy",
        "logits_kept", "wrap", "reshard_after_forward", "reshard_last", "root_reshard")  # fmt: skip
"""Settings that a dry run and an estimate have in common."""


def peak_gib(shape: dict[str, Any], setup: dict[str, Any]) -> float:
    """Return the peak that the tracker reports for a whole model, in GiB."""
    small, large = (_tracked(shape, setup, layers) for layers in (FEW, 2 * FEW))
    return (small + (large - small) * (shape["layers"] - FEW) / FEW) / (1 << 30)


def _tracked(shape: dict[str, Any], setup: dict[str, Any], layers: int) -> int:
    import torch
    import torch.distributed as dist
    import torch.distributed._tools.fake_collectives  # teaches fake tensors the collectives
    from fsdp_dryrun_config import Dryrun
    from fsdp_dryrun_loss import loss_of
    from fsdp_dryrun_model import build_model, shard_model, whole_rows
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(_config(shape)))
        run = Dryrun(config=str(config), layers=layers, **{name: setup[name] for name in KEPT})
        # Sharding propagation takes whole tensors along in whatever fake mode it finds: they are none of the rank's.
        hidden = mock.patch("torch.distributed.tensor._sharding_prop.detect_fake_mode", return_value=None)
        dist.init_process_group("fake", rank=0, world_size=run.ranks, store=FakeStore())
        mesh = init_device_mesh("cpu", (run.dp_shard,), mesh_dim_names=("shard",))
        model = build_model(run)
        with hidden, whole_rows(), FakeTensorMode(allow_non_fake_inputs=True):
            shard_model(model, mesh, run, torch.device("cpu"))
            optimizer = torch.optim.AdamW(model.parameters(), foreach=run.optimizer_impl == "foreach")
            tokens = torch.zeros(run.micro_batch, run.seq_len, dtype=torch.long)
            tracker: Any = FSDPMemTracker(model, optimizer)
            tracker.track_inputs((tokens,))
            with tracker:
                for _ in range(2):
                    logits = model(input_ids=tokens, use_cache=False).logits
                    if run.loss_impl == "fp32_in_model":
                        logits = logits.float()
                    loss = loss_of(logits, tokens, run)
                    if not run.logits_kept:
                        del logits
                    loss.backward()
                    logits = loss = None
                    optimizer.step()
                    optimizer.zero_grad()
                    tracker.reset_mod_stats()
            found = tracker.get_tracker_snapshot("peak")
        dist.destroy_process_group()
    return max(parts["Total"] for device, parts in found.items() if device.type == "cpu")


def _config(shape: dict[str, Any]) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "hidden_size": shape["hidden"],
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"],
        "num_key_value_heads": shape["kv_heads"],
        "head_dim": shape["head_dim"],
        "intermediate_size": shape["ffn"],
        "vocab_size": shape["vocab"],
        "tie_word_embeddings": shape["tied"],
        "max_position_embeddings": 1 << 20,
    }


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    import torch as _torch

    print(json.dumps({"gib": peak_gib(given["shape"], given["setup"]), "torch": _torch.__version__.split("+")[0]}))
