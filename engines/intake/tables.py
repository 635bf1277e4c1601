"""GPUs that are recognised by name, with the memory of their variants."""

from collections.abc import Mapping

from knowledge.devices import find_device

GPUS_PER_NODE = 8
"""GPUs that one machine usually has at most; a larger count behind "2 nodes," is a total."""
DEFAULT_GPU_MEM_GB = 80.0
"""GB per GPU that are assumed where neither memory nor type is known."""

GPUS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "H100": (r"h[ -]?100(?:[ -]?(?:sxm5?|pcie|nvl))?", (80, 94)),
    "H200": (r"h[ -]?200(?:[ -]?(?:sxm5?|nvl))?", (141,)),
    "H800": (r"h800", (80,)),
    "H20": (r"h20", (96,)),
    "GH200": (r"gh200", (96, 144)),
    "GB200": (r"gb200", (192,)),
    "B200": (r"b200", (192, 180)),
    "B300": (r"b300", (288,)),
    "A100": (r"a[ -]?100(?:[ -]?(?:sxm4?|pcie))?", (80, 40)),
    "A800": (r"a800", (80,)),
    "A40": (r"a40", (48,)),
    "A30": (r"a30", (24,)),
    "A10G": (r"a10g", (24,)),
    "A10": (r"a10", (24,)),
    "A16": (r"a16", (16,)),
    "V100": (r"v[ -]?100(?:[ -]?(?:sxm2?|pcie))?", (32, 16)),
    "P100": (r"p100", (16,)),
    "T4": (r"t4", (16,)),
    "L40S": (r"l40s", (48,)),
    "L40": (r"l40", (48,)),
    "L4": (r"l4", (24,)),
    "RTX A6000": (r"rtx[ -]?a6000", (48,)),
    "A6000": (r"a6000", (48,)),
    "RTX 6000 Ada": (r"(?:rtx[ -]?)?6000[ -]?ada", (48,)),
    "RTX PRO 6000": (r"rtx[ -]?pro[ -]?6000", (96,)),
    "RTX A5000": (r"rtx[ -]?a5000", (24,)),
    "A5000": (r"a5000", (24,)),
    "A4000": (r"(?:rtx[ -]?)?a4000", (16,)),
    "RTX 5090": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?5090", (32,)),
    "RTX 5080": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?5080", (16,)),
    "RTX 4090": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?4090", (24,)),
    "RTX 4090 Laptop": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?4090[ -]?(?:laptop|mobile)", (16,)),
    "RTX 4080": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?4080", (16,)),
    "RTX 4070": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?4070(?:[ -]?ti)?", (12, 16)),
    "RTX 4060": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?4060(?:[ -]?ti)?", (8, 16)),
    "RTX 3090": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?3090(?:[ -]?ti)?", (24,)),
    "RTX 3080": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?3080(?:[ -]?ti)?", (10, 12)),
    "RTX 3070": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?3070(?:[ -]?ti)?", (8,)),
    "RTX 3060": (r"(?:(?:ge)?force[ -]?)?(?:rtx[ -]?)?3060(?:[ -]?ti)?", (12, 8)),
    "RTX 2080 Ti": (r"(?:rtx[ -]?)?2080[ -]?ti", (11,)),
    "MI210": (r"mi[ -]?210", (64,)),
    "MI250X": (r"mi[ -]?250x", (128,)),
    "MI250": (r"mi[ -]?250", (128,)),
    "MI300X": (r"mi[ -]?300x?", (192,)),
    "MI325X": (r"mi[ -]?325x?", (256,)),
}
"""Canonical name: pattern (lower case, tried longest first) and GB of its variants, the
usual one first. Source: the vendors' data sheets. `knowledge/hardware` has fewer GPUs with
more about each; where it knows one, its memory is taken."""


def gpu_memory_gb(gpu_type: str | None) -> float | None:
    """Memory of a GPU by its name.

    Args:
        gpu_type: A key of `GPUS`, in any case.

    Returns:
        GB of its usual variant; None where the name is not known.
    """
    if gpu_type is None:
        return None
    if device := find_device(gpu_type):
        return device.memory_gb
    wanted = gpu_type.lower().strip()
    for name, (_, sizes) in GPUS.items():
        if name.lower() == wanted:
            return float(sizes[0])
    return None
