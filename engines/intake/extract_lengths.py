"""Sequence length and batch as a text states them."""

import re

from engines.intake.counts import count, whole
from engines.intake.facts import Conflict

_BINARY = frozenset({1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048})
"""Counts of k that mean 1024 each; 100k and 10k are round thousands."""
MIN_SEQ, MAX_SEQ = 16, 50_000_000
"""Tokens per sequence that are believed."""
_NUMBER = r"(?P<n>\d{1,3}(?:[.,]\d{3})+|\d{1,8})(?:\s?(?P<k>k|m)(?![a-z0-9]))?"
_NO_UNIT = r"(?!\d|[.,]\d|\s?(?:(?:gb|gib|mb|b|kr|steps|noder|nodes|ranks)\b|gpu|x\s?\d|%|h100|a100|epoch))(?![a-z])"
_KEY = (
    r"(?:max[_\s-]?)?(?:sequences?|seqs?|sekvens(?:er(?:ne)?|en)?|ctx|contexts?|kontekst(?:en)?|block"
    r"|cutoff|model_max|position)"
    r"(?:[_\s-]?(?:length|len|window|size|vindue|længde[rn]?|længde|embeddings))?"
    r"|(?:max[_\s-])?seq_?len(?:gth)?|max_len(?:gth)?|maxlen|packing|packed|pakket"
    r"|sekvenslængde[rn]?|kontekst(?:længde|vindue)[nt]?|context_length|n_ctx|length|længde[n]?"
)
_LINK = (
    r"[\"']?\s*(?:(?:[:=~≈(]|of|is|are|was|will be|to|to be|set to|up to|på|er|med|at|with|til|op til|about"
    r"|approx\.?|around|ca\.?"
    r"|roughly|omkring|skal være|size|length|packed to|limit|max)\s*){0,3}"
)
_SEQ_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![a-z])(?:{_KEY}){_LINK}{_NUMBER}{_NO_UNIT}",
        rf"(?<![\w.,]){_NUMBER}(?:[\s-]+tokens?)?[\s-]+(?:long\s)?(?:contexts?|ctx|kontekst\w*"
        rf"|seq(?:uence)?s?(?:\slength)?\b|seq_?len|sekvens\w*|window"
        r"|vindue)",
        r"(?<![\w.,])(?P<n>\d{1,3}(?:[.,]\d{3})+|\d{1,8})(?:\s?(?P<k>k)(?![a-z0-9]))?[\s-]*(?:tokens?"
        r"|tok)\b(?!\s?(?:/|per\s(?:sec|s\b|day|gpu)|pr\.?\s(?:sek|dag)|total|in total|i alt|of data|corpus))",
        r"(?:\bat|\bved|@|\bmed|\bwith)\s(?P<n>\d{1,4})\s?(?P<k>k)(?![a-z0-9])",
        r"(?<![\w.,-])(?P<n>\d{1,4})(?P<k>k)(?![a-z0-9])(?!\s?(?:tok(?:ens?)?\s?(?:/|per\b|pr\b)|usd|eur|kr|dkk|steps|examples|samples"
        r"|eksempler|rows|images|users|brugere|"
        r"docs|dokumenter|pairs|iterations|mails|sager))",
    )
)
_PER_MILLION = re.compile(r"(?:million|mio\.?|milliard\w*|billion|mia\.?|per|pr\.?)\s*$")
_BATCH_KEY = (
    r"(?P<scope>global|effective|total|samlet|effektiv)?[\s_-]?(?:micro|mikro|mini|local|per[-_\s]device"
    r"|per[-_\s]gpu)?[\s_-]?(?:train_)?"
    r"(?:batch(?:[\s_-]?(?:size|størrelse[n]?))?|mbs?(?=[\"']?\s?[:=])|mbs|bsz?|gbs|samples(?=_per)|sequences(?=_per))"
    r"(?:[\s_-](?:per|pr\.?)[\s_-](?:gpu|device|rank|kort|card))?"
)
_BATCH = re.compile(
    rf"(?<![a-z]){_BATCH_KEY}[\"']?\s*(?:(?:[:=]|of|is|was|will be|to|på|er|skal være|at|with|med)\s*){{0,2}}"
    r"(?P<n>\d{1,6})(?![\d.,]*\d|\s?(?:k\b|gb|b\b|tokens|x\s?\d|m\b))"
)
_BATCH_BEHIND = re.compile(
    r"(?<![\w.,-])(?P<n>\d{1,4}|one|two|three|four|eight|a single|én|ét|et|en|to|tre|fire|otte)\s"
    r"(?:sequence|sample|example|image|sekvens|eksempel|eksempl|billede|document|dokument)(?:s|er|r)?"
    r"\s(?:per|pr\.?|on each|on every|a|for each|på hver(?:t)?)\s?(?:gpu|device|rank|kort|card)"
)


def _batch_count(text: str) -> int:
    return 1 if text in ("a single", "en", "et") else count(text)


def _tokens(found: re.Match[str]) -> int:
    value = whole(found["n"])
    unit = found["k"]
    if unit == "k":
        return value * (1024 if value in _BINARY else 1000)
    if unit == "m":
        return value * (1024 * 1024 if value in (1, 2, 4) else 1_000_000)
    return value


def _is_rate(text: str, found: re.Match[str]) -> bool:
    """Whether a bare "11k" is set against a speed: "9k tok/s versus 11k"."""
    before = text[max(0, found.start("n") - 30) : found.start("n")]
    if re.match(
        r"\s?k?(?:\s(?:to|til|->)\s\S+)?\s?(?:tok|tokens?)\s?(?:/|per\s|pr\.?\s)s", text[found.end() : found.end() + 40]
    ):
        return True
    return bool(re.search(r"tok(?:ens?)?\s?(?:/|per\s)s\w*[^.;\n]{0,12}$", before))


def _lengths(text: str) -> list[tuple[int, int]]:
    """(position, tokens), by pattern: a named length comes before a bare one."""
    for pattern in _SEQ_PATTERNS:
        hits = [
            (found.start("n"), _tokens(found))
            for found in pattern.finditer(text)
            if MIN_SEQ <= _tokens(found) <= MAX_SEQ
            and not _is_rate(text, found)
            and not _PER_MILLION.search(text[: found.start("n")][-12:])
        ]
        if hits:
            return hits
    return []


def extract_seq_len(text: str) -> tuple[int | None, tuple[Conflict, ...]]:
    """Find the sequence length.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Tokens per sequence, and a contradiction where two lengths are stated.
    """
    hits = _lengths(text)
    if not hits:
        return None, ()
    values = [value for _, value in hits]
    if len(values) > 1 and re.search(r"(?:\bto|\btil|->|op til|up to)\s*$", text[: hits[-1][0]][-8:]):
        return values[-1], ()
    others = [value for value in values if value != values[0]]
    if others:
        return values[0], (Conflict("seq_len", str(values[0]), str(others[0]), str(values[0])),)
    return values[0], ()


def extract_batch(text: str) -> tuple[int | None, bool]:
    """Find the batch: that of one GPU and micro-step where both are stated.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Sequences, and whether they are those of the global batch.
    """
    hits = [(int(found["n"]), bool(found["scope"]) or "gbs" in found[0]) for found in _BATCH.finditer(text)]
    hits += [(_batch_count(found["n"]), False) for found in _BATCH_BEHIND.finditer(text)]
    local = [value for value, is_global in hits if not is_global and value > 0]
    if local:
        return local[0], False
    return (hits[0][0], True) if hits and hits[0][0] > 0 else (None, False)
