"""Which GPU a text names, and how much memory it says one has."""

import re

from engines.intake.facts import Conflict
from engines.intake.gpu_words import NOUN, PLURAL
from engines.intake.tables import GPUS

_KINDS = sorted(GPUS.items(), key=lambda item: len(item[1][0]), reverse=True)
_NAMED = [
    (name, re.compile(rf"(?:(?<![\w.])|(?<=\dx))(?:{pattern}){PLURAL}(?![a-z0-9])"), sizes)
    for name, (pattern, sizes) in _KINDS
]
_NOT_A_GPU = re.compile(r"\s*(?:tokens?|samples|examples|steps|eksempler|skridt|gb\b|gib\b|\d{3})")
_BEHIND_TYPE = re.compile(
    r"(?:'?(?:erne|ere|er|s))?[\s(,/-]{0,3}(?:gpu(?:s|'er)?\s|kort\s|cards?\s)?(?:with|w/|a|à|på|med"
    r"|på hver)?\s*(\d{1,3})\s?(?:gib|gb|g)\b(?!\s?(?:of\s)?(?:ram|host|system|disk|cpu))"
)
_SHORT = re.compile(
    r"(?:'?(?:ere|er|s))?[-\s/](\d{2,3})'?s?(?![\w.,]*\d|\s?(?:gb|k|b|x|gpu|nodes?|ranks?|layers|stk)\b|\w)"
)
_BEFORE_NOUN = re.compile(
    rf"(\d{{1,3}})\s?-?(?:gib|gb|g)\b[\s-]{{0,2}}(?:(?:vram|nvidia|amd)[\s-])?(?:{NOUN}|vram|gpu)"
)
_ELSEWHERE = re.compile(
    r"(?:vram|gpu[\s-]?(?:memory|mem|hukommelse|ram)(?:\sper\sgpu)?|memory\sper\sgpu"
    r"|hukommelse\spr\.?\sgpu|(?:gpu_?|device_?|accelerator_?)?(?:mem|memory|vram)(?:_per_(?:gpu|device))?_(?:gb|gib)|gpu_mem(?:ory)?)"
    r"[\"']?\s*(?:[:=]|is|of|er|på|with|ca\.|~)*\s*(\d{1,3})(?:\s?(?:gib|gb|g)\b|(?=[\s,}]|$))"
    r"|(?:each|hver)\s(?:has|with|have|har|med|på|of)\s(\d{1,3})\s?(?:gib|gb|g)\b"
    r"|(\d{1,3})\s?(?:gib|gb|g)\b\s*(?:(?:of\s)?(?:vram|gpu[\s-]memory|gpu[\s-]hukommelse)|each|apiece"
    r"|hver(?:t)?\b|per\s(?:gpu|card)|pr\.?\s(?:gpu|kort))"
)
_NEAR_NOUN = re.compile(
    rf"{NOUN}[^.;\n]{{0,25}}?[\s(](\d{{1,3}})\s?(?:gib|gb|g)\b(?!\s?(?:of\s)?(?:ram|host|system|disk|cpu))"
)
_ANONYMOUS = re.compile(r"(?<![\w.])\d{1,4}\s?x\s?(\d{1,3})\s?-?(?:gib|gb|g)\b")
_CAPACITY = re.compile(r"total capacity of (\d+(?:\.\d+)?) gib")
_VENDOR_SIZES_GB = (8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 256, 288)


def extract_gpu_type(text: str) -> tuple[str | None, int]:
    """Find the first GPU type.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Its name in `tables.GPUS`, and where it ends (-1: none).
    """
    best: tuple[int, int, str] | None = None
    for name, pattern, _ in _NAMED:
        for found in pattern.finditer(text):
            if name[-4:].isdigit() and _NOT_A_GPU.match(text, found.end()):
                continue
            # The longer name wins where two begin alike (A100 or A10; RTX 6000 Ada).
            if best is None or (found.start(), -found.end()) < (best[0], -best[1]):
                best = (found.start(), found.end(), name)
            break
    return (best[2], best[1]) if best else (None, -1)


def _vendor_size(gibibytes: float) -> float | None:
    """The size on the box of a GPU that reports this capacity."""
    near = min(_VENDOR_SIZES_GB, key=lambda gb: abs(gb - gibibytes))
    return float(near) if abs(near - gibibytes) <= 0.08 * near else None


def _sizes_of(name: str | None) -> tuple[int, ...]:
    return GPUS[name][1] if name else ()


def extract_gpu_memory(text: str, gpu_type: str | None) -> float | None:
    """Find the memory of one GPU as stated.

    Args:
        text: Lower-case text with uniform signs.
        gpu_type: The type that was found.

    Returns:
        GB of one GPU; None where it was not said (the type alone does not say it).
    """
    return _beside_type(text, gpu_type) or _beside_noun(text)


def _beside_type(text: str, gpu_type: str | None) -> float | None:
    """Memory right behind the type: "A100-40GB", "H100 (80 GB)", "A100-80"."""
    if gpu_type:
        pattern = next(entry[1] for entry in _NAMED if entry[0] == gpu_type)
        for found in pattern.finditer(text):
            if behind := _BEHIND_TYPE.match(text, found.end()):
                return float(behind[1])
            short = _SHORT.match(text, found.end())
            if short and int(short[1]) in _sizes_of(gpu_type):
                return float(short[1])
    return None


def _beside_noun(text: str) -> float | None:
    """Memory beside any other word for a GPU, or for what one has."""
    if found := _BEFORE_NOUN.search(text) or _ANONYMOUS.search(text):
        return float(found[1])
    if found := _ELSEWHERE.search(text):
        return float(found[1] or found[2] or found[3])
    if found := _CAPACITY.search(text):
        return _vendor_size(float(found[1]))
    near = [float(found[1]) for found in _NEAR_NOUN.finditer(text) if int(found[1]) in _VENDOR_SIZES_GB]
    return near[0] if near else None


def memory_conflict(gpu_type: str | None, memory_gb: float | None) -> tuple[Conflict, ...]:
    """Check a stated memory against the variants of the type.

    Args:
        gpu_type: The type that was found.
        memory_gb: The memory that was stated.

    Returns:
        A contradiction where no variant has that memory.
    """
    sizes = _sizes_of(gpu_type)
    if memory_gb is None or not sizes or any(abs(size - memory_gb) <= 0.1 * size for size in sizes):
        return ()
    known = "/".join(str(size) for size in sizes)
    return (Conflict("gpu_mem_gb", f"{memory_gb:g} GB", f"{gpu_type} ({known} GB)", kept=f"{memory_gb:g} GB"),)
