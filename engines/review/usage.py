"""Usage: the number of ranks with which a file says that it is started, in a comment or its docstring."""

from __future__ import annotations

import re

_TORCHRUN = re.compile(r"torchrun (?:[^\n]*?--nnodes[= ](\d+))?[^\n]*?--nproc[-_]per[-_]node[= ](\d+)")
_VARIABLES = re.compile(r"(?:\bNNODES=(\d+) [^\n]*?)?\bNGPU=(\d+)\b")
"""How torchtitan's run_train.sh is called."""


def ranks_of_usage(text: str) -> int | None:
    """Return nodes times processes as the usage lines of a file state them; None where there are none or several.

    Args:
        text: The file's text.
    """
    found = (*_TORCHRUN.finditer(text), *_VARIABLES.finditer(text))
    sizes = {int(one[2]) * int(one[1] or 1) for one in found}
    return sizes.pop() if len(sizes) == 1 else None
