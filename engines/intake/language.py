"""Danish or English: by the function words of the prose, not by its terms."""

import re
from functools import cache

from contracts.request import Language

_DANISH = """
    og på vi skal er det ikke til med hvor kan jeg vores hvad hvordan hvorfor hvilken hvilket hvilke af som har
    vil eller når efter om ved fra der lave bruge kun ét én vores dit mit jeres nu også være bliver blev mellem
    uden hver hvis så selv noget nogen alle dem den de op ud ind deres gerne hjælp hjælpe lige kør køre kører tjek
    gennemgå træne træner træning endnu allerede fordi mens både sammen denne dette disse måske bare hej tak
    forskel fuld fulde hænger fejler vægte noder maskine hukommelse klynge muligt plads står sidder går
"""
_ENGLISH = """
    the is we our to and with need of on it this that what how why which does do can should are have has you your
    my be will when from after or not only any please pls i'm we're it's as by an was were would could if but there
    their them they into than then
"""
_SHARED = frozenset({"to", "at", "for", "i", "en", "et", "over", "under", "den", "have", "de", "dem", "om", "as", "is"})
_WORD = re.compile(r"[a-zæøåé]+(?:'[a-z]+)?")
_DANISH_LETTERS = re.compile(r"[æøå]")


@cache
def _function_words() -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(_DANISH.split()), frozenset(_ENGLISH.split())


def detect_language(prose: str) -> Language:
    """Tell the language of a text.

    Args:
        prose: Lower-case text without pasted logs and code.

    Returns:
        `da` where two Danish function words stand against three English ones at most:
        Danish requests are full of English terms, English ones have no Danish words.
    """
    danish_words, english_words = _function_words()
    words = [word for word in _WORD.findall(prose) if word not in _SHARED]
    danish: float = sum(word in danish_words for word in words) + 0.5 * sum(
        bool(_DANISH_LETTERS.search(word)) for word in words if word not in danish_words
    )
    english = sum(word in english_words for word in words)
    return "da" if danish > english or (danish >= 2 and danish >= 0.6 * english) else "en"
