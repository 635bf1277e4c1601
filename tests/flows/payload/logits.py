"""Compare the sharded model's logits with those of `from_pretrained`, for several folders.

    torchrun logits.py folders.json results.json

results.json: for each folder the largest difference, or the error.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "payload"))

import torch
from fsdp_sft import leave
from fsdp_sft_config import Config, Recipe
from fsdp_sft_launch import read_launch
from fsdp_sft_model import load_model
from fsdp_sft_world import World, open_world
from transformers import AutoModelForCausalLM


def difference(folder: Path, world: World) -> float:
    """Return the largest difference of any logit, after a backward that must run too."""
    recipe = Recipe(seq_len=16, param_dtype="fp32")
    sharded, _ = load_model(Config(folder, folder, device="cpu", recipe=recipe), world)
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    inputs = {"input_ids": torch.arange(16)[None], "use_cache": False}
    sharded(**inputs).logits.sum().backward()
    sharded.eval()
    with torch.no_grad():
        return (sharded(**inputs).logits - plain(**inputs).logits).abs().max().item()


def main() -> None:
    results = {}
    with open_world("cpu", read_launch()) as world:
        for folder in json.loads(Path(sys.argv[1]).read_text()):
            try:
                results[folder] = difference(Path(folder), world)
            except Exception as error:
                results[folder] = f"{type(error).__name__}: {error}"
    Path(sys.argv[2]).with_suffix(f".{world.rank}").write_text(json.dumps(results))
    leave(0)


if __name__ == "__main__":
    main()
