"""Text made uniform: one form of every sign, prose apart from what was pasted in."""

import re
import unicodedata
from dataclasses import dataclass

from engines.intake.language import detect_language

MAX_CHARS = 20_000
"""Characters that are read of a long text: half from its beginning, half from its end."""

_SIGNS = str.maketrans(
    {"×": "x", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "´": "'", "“": '"', "”": '"'}
)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PASTED_LINE = re.compile(
    r"""^\s*(?:
        \[?(?:rank|default)\s?\d+ | traceback\b | file\s" | \d{4}-\d\d-\d\d | \d\d:\d\d:\d\d | \w+(?:\.\w+)*error\b
        | (?:info|warn(?:ing)?|error|debug|fatal|critical)\b[:\s\[] | >>> | frame\s\# | [EWI]\d{4}\s
        | (?:from\s[\w.]+\s)?import\s | def\s | class\s | for\s\w+\sin\s | \#!/ | \#sbatch | export\s\w+= | srun\s
        | torchrun\s | python3?\s | accelerate\slaunch | pip\s | -{1,2}\w[\w-]*[\s=] | [{}\[\]()]+,?\s*$
        | [\w.\[\]'"]+\s*=\s*\S | ['"]?[\w.-]*_[\w.-]*['"]?\s*:\s | [\w.]+\([^)]*\)\s*$ | ['"]?\w+['"]?:\s*\S*\s*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_LONG_WORD = re.compile(r"(\w{64})\w+")
_REPEATED_SIGN = re.compile(r"([^\w\s`])\1{7,}")
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")
_QUOTE = re.compile(r"(?<!\w)(['\"])(?=(?:[^'\"\n]*\s){3})[^'\"\n]+\1(?!\w)")
_CODE = re.compile(
    r"(?:\b[a-z]+(?:_[a-z]+)+\s?=\s?[\w.\"']+[,\s)]+(?:and\s|og\s)?){2}|\b\w+\s?=\s?\w+(?:\.\w+)*\([^()\n]*\)\s*;"
    r"|```|`[^`\n]+\([^`\n]*`|^[ \t]*(?:import|from\s+[\w.]+\s+import|def|class|for\s+\w+\s+in)\s"
    r"|\w+\([^()\n]*\w=|^[ \t]*\w+\s=\s\w+[.(]|#SBATCH"
    r"|^[ \t]*\w+_\w+[ \t]*:\s|^[ \t]{2,}\w+[ \t]*:\s|\b(?:torchrun|accelerate\s+launch|deepspeed|srun)\s+-{1,2}\w",
    re.MULTILINE,
)
_LOG = re.compile(
    r"traceback \(most recent|\[rank\s?\d+\]|^[ \t]*file \"|\b\w*(?:error|exception)\b:\s|\bwatchdog\b.*\btimeout\b"
    r"|nccl (?:error|warn|info)|\bexitcode\b|sigkill|sigterm|signal \d+|cuda error|\bworknccl\b",
    re.IGNORECASE | re.MULTILINE,
)
_DANISH_LETTERS = re.compile(r"[æøåÆØÅ]")
_ASCII_DANISH = re.compile(
    r"(?<![\w./-])(?!(?:does|goes|toes?|shoes?|poe\w*|coe\w*|phoe\w*)\b)"
    r"(?:[A-Za-z]?[a-z]*(?:aa|ae|oe)[a-z]*|[Aa]a[a-z]*|[Ee]e[nt])(?![\w./])"
)
"""Words of a keyboard without Danish letters; names with digits, dots and slashes are none."""
_ASCII_PAIR = re.compile(r"aa|ae|oe|ee(?=[nt]\b)", re.IGNORECASE)
_LETTERS = {"aa": "å", "ae": "æ", "oe": "ø", "ee": "é"}


@dataclass(frozen=True)
class Normal:
    """One text, made uniform. `text` and `lower` have the same length."""

    text: str
    """Uniform signs, spelling as written, single spaces and line ends."""
    lower: str
    """The same in lower case."""
    prose: str
    """Lower case, without pasted lines; all of it where nothing else is left."""
    has_code: bool
    """Whether code, configuration or a launch line was pasted in."""
    has_log: bool
    """Whether a log or a traceback was pasted in."""


def _with_danish_letters(text: str) -> str:
    """Write ae, oe and aa as æ, ø and å in a Danish text that has none of these letters: "vaegte paa eet kort"."""
    if _DANISH_LETTERS.search(text) or not _ASCII_DANISH.search(text) or detect_language(text.lower()) != "da":
        return text
    return _ASCII_DANISH.sub(
        lambda word: _ASCII_PAIR.sub(lambda pair: _LETTERS[pair.group().lower()], word.group()), text
    )


def _shortened(text: str) -> str:
    half = MAX_CHARS // 2
    return text if len(text) <= MAX_CHARS else f"{text[:half]}\n{text[-half:]}"


def normalise(raw: str) -> Normal:
    """Make a text uniform.

    Args:
        raw: Free text, possibly with logs, code or configuration pasted in.

    Returns:
        The uniform text and its parts; MAX_CHARS of it at most.
    """
    signs = unicodedata.normalize("NFKC", _shortened(raw)).translate(_SIGNS).replace("\r\n", "\n").replace("\r", "\n")
    # No word or number that is looked for is longer; the time stays proportional to the text.
    laid_out = _shortened(_REPEATED_SIGN.sub(r"\1", _LONG_WORD.sub(r"\1", signs)))
    # Runs of white space become one: patterns may then allow some between any two words.
    text = _with_danish_letters(_LINE_ENDS.sub("\n", _BLANKS.sub(" ", laid_out)))
    lower = text.lower()
    if len(lower) != len(text):
        text = lower
    lines = _FENCE.sub("\n", lower).split("\n")
    prose = _QUOTE.sub(" ", "\n".join(line for line in lines if not _PASTED_LINE.match(line)))
    return Normal(
        text=text,
        lower=lower,
        prose=prose if len(prose.split()) > 2 else lower,
        has_code=bool(_CODE.search(laid_out)),
        has_log=bool(_LOG.search(laid_out)),
    )
