"""Free text to a Reading."""

from engines.intake.facts import Reading


def read_text(text: str) -> Reading:
    """Read a request in free text.

    Args:
        text: English or Danish, possibly with pasted logs or configuration.

    Returns:
        Values, contradictions, signals and the language.
    """
    return Reading(empty=not text.strip())
