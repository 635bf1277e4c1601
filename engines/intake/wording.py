"""Judgements and questions put into words, in the language of the request."""

from collections.abc import Mapping

from contracts.need import MissingInput, Reason
from contracts.request import Language
from engines.intake import texts_da, texts_en
from engines.intake.judgement import Because, Judgement
from engines.intake.missing import Gap
from engines.intake.reason_cards import REASON_CARDS

_TABLES = {"en": texts_en, "da": texts_da}
_SIZES = frozenset(
    {"states", "states_own", "frozen", "activations", "one_gpu", "replica", "mem", "usable", "sharded", "per_gpu"}
    | {"gathered", "logits", "per_rank", "used"}
)
"""Placeholders that are GB (1e9 bytes)."""


def number(value: float, language: Language) -> str:
    """Write a number with about three significant digits.

    Args:
        value: Any number.
        language: Danish has a decimal comma.

    Returns:
        Such as `1120`, `17.6`, `0.06`.
    """
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    text = f"{value:.{digits}f}" if abs(value) >= 0.1 else f"{value:.2g}"
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", ",") if language == "da" else text


def size(gigabytes: float, language: Language) -> str:
    """Write a size with its unit.

    Args:
        gigabytes: Size in GB (1e9 bytes).
        language: Language of the answer.

    Returns:
        Such as `17.6 GB` or `54 MB`.
    """
    if abs(gigabytes) >= 0.1:
        return f"{number(gigabytes, language)} GB"
    return f"{number(gigabytes * 1e3, language)} MB"


def parameters(billions: float, language: Language) -> str:
    """Write a parameter count.

    Args:
        billions: Parameters in billions (1e9).
        language: Language of the answer.

    Returns:
        Such as `8 billion parameters`.
    """
    large, words = billions >= 1, {"en": ("billion", "million", ""), "da": ("mia.", "mio.", "")}[language]
    count = billions if large else billions * 1e3
    noun = "parametre" if language == "da" else "parameters"
    return f"{number(count, language)} {words[0] if large else words[1]} {noun}"


def _filled(template: str, numbers: Mapping[str, float | int | str], language: Language) -> str:
    filled: dict[str, str] = {}
    for name, value in numbers.items():
        if isinstance(value, str):
            filled[name] = value
        elif name in _SIZES:
            filled[name] = size(value, language)
        elif isinstance(value, int):
            filled[name] = str(value)
        else:
            filled[name] = number(value, language)
    if isinstance(numbers.get("params_b"), int | float):
        filled["params"] = parameters(float(numbers["params_b"]), language)
    return template.format(**filled)


def reason(because: Because, language: Language) -> Reason:
    """Put one reason into words.

    Args:
        because: The reason.
        language: Language of the answer.

    Returns:
        The reason with its arithmetic written out.
    """
    table = _TABLES[language].REASONS
    text = " ".join(_filled(table[key], because.numbers, language) for key in because.says)
    return Reason(code=because.code, text=text, cards=REASON_CARDS.get(because.code, ()))


def instead(judgement: Judgement, language: Language) -> str:
    """Say what to do instead.

    Args:
        judgement: The verdict.
        language: Language of the answer.

    Returns:
        One sentence; empty where the verdict is use_fsdp.
    """
    return _TABLES[language].INSTEAD[judgement.instead] if judgement.instead else ""


def missing_input(gap: Gap, language: Language) -> MissingInput:
    """Put one question into words.

    Args:
        gap: What is missing.
        language: Language of the answer.

    Returns:
        The question, with the default that is assumed.
    """
    tables = _TABLES[language]
    numbers = dict(gap.numbers)
    if gap.conflict:
        numbers["name"] = tables.NAMES[gap.conflict]
    question = _filled(tables.QUESTIONS[gap.question], numbers, language)
    assumed = gap.kept if gap.conflict else None
    if gap.assumed:
        assumed = _filled(tables.ASSUMED[gap.assumed], numbers, language)
    return MissingInput(code=gap.code, question=question, assumed=assumed)
