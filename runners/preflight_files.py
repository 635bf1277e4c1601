"""The programs of a preflight."""

from pathlib import Path

_PAYLOAD = Path(__file__).parent / "payload"
_MODULES = ("fsdp_preflight*.py", "fsdp_sft_config.py", "fsdp_sft_launch.py", "fsdp_sft_rundir.py", "fsdp_sft_world.py")


def preflight_files() -> dict[str, bytes]:
    """Return the programs of a preflight, by name."""
    paths = sorted(path for pattern in _MODULES for path in _PAYLOAD.glob(pattern))
    return {path.name: path.read_bytes() for path in paths}
