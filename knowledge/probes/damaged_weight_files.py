"""What the loaders say of a Git-LFS pointer and of a truncated file."""

import pickle
from pathlib import Path

import torch
from _lab import raises

REQUIRES = ("safetensors",)
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{64 * '4'}\nsize 12345\n"


def probe(rank, world_size):
    """Load a pointer and a cut file with torch.load and safetensors."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file

    if rank != 0:
        return None
    pointer, cut = Path("pointer.safetensors"), Path("cut.safetensors")
    pointer.write_text(POINTER)
    save_file({"weight": torch.ones(64, 64)}, cut)
    cut.write_bytes(cut.read_bytes()[:-100])
    torch.save({"weight": torch.ones(64, 64)}, "cut.pt")
    Path("cut.pt").write_bytes(Path("cut.pt").read_bytes()[:-1000])
    Path("pointer.bin").write_text(POINTER)
    said = {
        "pointer, safetensors": raises(SafetensorError, "header too large", lambda: load_file(pointer)),
        "cut, safetensors": raises(SafetensorError, "incomplete metadata", lambda: load_file(cut)),
    }
    said["pointer, torch.load"] = raises(
        pickle.UnpicklingError, "invalid load key, 'v'", lambda: torch.load("pointer.bin", weights_only=False)
    )
    raises(Exception, "", lambda: torch.load("cut.pt"))
    return said
