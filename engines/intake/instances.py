"""Cloud machines by their type's name: how many GPUs of which kind one has."""

import re
from dataclasses import dataclass, replace

from contracts.request import Language
from engines.intake.counts import count, count_pattern


@dataclass(frozen=True)
class Instance:
    """One machine type."""

    gpu_type: str
    """A key of `tables.GPUS`."""
    gpus: int
    """GPUs of one machine."""
    gpu_mem_gb: float
    """Memory of one GPU in GB (1e9 bytes), as the provider states it."""


_AWS_SIZES = {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}
"""GPUs of the larger g5, g6 and g6e; all smaller sizes and the 16xlarge have one."""
_FIXED: tuple[tuple[str, Instance], ...] = (
    (r"p3\.2xlarge", Instance("V100", 1, 16)),
    (r"p3\.8xlarge", Instance("V100", 4, 16)),
    (r"p3\.16xlarge", Instance("V100", 8, 16)),
    (r"p3dn\.24xlarge", Instance("V100", 8, 32)),
    (r"p4d\.24xlarge", Instance("A100", 8, 40)),
    (r"p4de\.24xlarge", Instance("A100", 8, 80)),
    (r"p5\.4xlarge", Instance("H100", 1, 80)),
    (r"p5\.48xlarge", Instance("H100", 8, 80)),
    (r"p5en?\.48xlarge", Instance("H200", 8, 141)),
    (r"p6-b200\.48xlarge", Instance("B200", 8, 180)),
    (r"g4dn\.12xlarge", Instance("T4", 4, 16)),
    (r"g4dn\.metal", Instance("T4", 8, 16)),
    (r"g4dn\.(?:2|4|8|16)?xlarge", Instance("T4", 1, 16)),
    (r"a2-megagpu-16g", Instance("A100", 16, 40)),
    (r"g2-standard-24", Instance("L4", 2, 24)),
    (r"g2-standard-48", Instance("L4", 4, 24)),
    (r"g2-standard-96", Instance("L4", 8, 24)),
    (r"g2-standard-\d+", Instance("L4", 1, 24)),
    (r"nd40rs_v2", Instance("V100", 8, 32)),
    (r"nd96asr_(?:a100_)?v4", Instance("A100", 8, 40)),
    (r"nd96amsr_(?:a100_)?v4", Instance("A100", 8, 80)),
    (r"nd96isr?f?_h100_v5", Instance("H100", 8, 80)),
    (r"nd96isr?f?_h200_v5", Instance("H200", 8, 141)),
    (r"nd96isr?f?_mi300x_v5", Instance("MI300X", 8, 192)),
    (r"nc24ads_a100_v4", Instance("A100", 1, 80)),
    (r"nc48ads_a100_v4", Instance("A100", 2, 80)),
    (r"nc96ads_a100_v4", Instance("A100", 4, 80)),
    (r"nc40adi?s_h100_v5", Instance("H100", 1, 94)),
    (r"nc80adi?s_h100_v5", Instance("H100", 2, 94)),
    (r"bm\.gpu\.h100\.8", Instance("H100", 8, 80)),
    (r"bm\.gpu\.h200\.8", Instance("H200", 8, 141)),
    (r"bm\.gpu\.a100-v2\.8", Instance("A100", 8, 80)),
    (r"bm\.gpu4\.8", Instance("A100", 8, 40)),
)
_SIZED: tuple[tuple[str, Instance], ...] = (
    (r"g5\.(?P<size>(?:2|4|8|12|16|24|48)?xlarge)", Instance("A10G", 1, 24)),
    (r"g6\.(?P<size>(?:2|4|8|12|16|24|48)?xlarge)", Instance("L4", 1, 24)),
    (r"g6e\.(?P<size>(?:2|4|8|12|16|24|48)?xlarge)", Instance("L40S", 1, 48)),
    (r"a2-highgpu-(?P<size>\d{1,2})g", Instance("A100", 1, 40)),
    (r"a2-ultragpu-(?P<size>\d{1,2})g", Instance("A100", 1, 80)),
    (r"a3-(?:high|mega|edge)gpu-(?P<size>\d{1,2})g", Instance("H100", 1, 80)),
    (r"a3-ultragpu-(?P<size>\d{1,2})g", Instance("H200", 1, 141)),
    (r"a4-highgpu-(?P<size>\d{1,2})g", Instance("B200", 1, 180)),
)
"""Types whose size tells the number of GPUs. Sources of both tables: the providers' lists of machine
types: Amazon EC2 "accelerated computing instances", Google Compute Engine "accelerator-optimized
machine family", Azure "GPU accelerated virtual machine sizes", Oracle "compute shapes"."""


def _named(text: str) -> tuple[Instance, int, int] | None:
    for pattern, instance in (*_FIXED, *_SIZED):
        if found := re.search(rf"(?<![\w.])(?:ml\.|standard[_ ])?{pattern}(?![\w.]*\w)", text):
            size = found.groupdict().get("size")
            number = instance.gpus
            if size:
                number = int(size) if size.isdigit() else _AWS_SIZES.get(size, 1)
            return replace(instance, gpus=number), found.start(), found.end()
    return None


def extract_instance(text: str, language: Language) -> tuple[Instance, int] | None:
    """Find a cloud machine type, and how many of it are spoken of.

    Args:
        text: Lower-case text with uniform signs.
        language: Language of the text, for its number words.

    Returns:
        The type and the number of machines that is stated beside it (0: none is); None where no
        type is named.
    """
    named = _named(text)
    if named is None:
        return None
    instance, start, end = named
    number = count_pattern(language)
    before = re.search(rf"({number})\s*(?:x|\*|stk\.?|pcs\.?|of)?\s*(?:\w+\s)?$", text[max(0, start - 24) : start])
    behind = re.match(rf"(?:s|'er|\sinstances?|\snodes?|\)|\()*\s*(?:x|\*)\s*({number})", text[end : end + 24])
    stated = before or behind
    return instance, count(stated[1]) if stated else 0
