"""Text from a job made safe to show: no escape sequences, no control characters, cut lines."""

import re

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movements
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"  # OSC, DCS and others that carry text, up to their end
    r"|\x1b[ -/]*[0-~]"  # short escapes
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI as one character
)
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str, limit_chars: int = 2000) -> str:
    """Return one line without what could move a cursor, hide or reorder text.

    Args:
        text: A line from a job. Of a progress bar (carriage returns) the last state is kept.
        limit_chars: Longer lines are cut there, with a mark.
    """
    shown = text.rstrip("\r").rpartition("\r")[2]
    shown = _CONTROLS.sub("", _ESCAPES.sub("", shown))
    return shown if len(shown) <= limit_chars else shown[:limit_chars] + " ..."
