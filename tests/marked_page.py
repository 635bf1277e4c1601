"""A documentation page of which one part is written by a program, between two marks."""


def renewed(page: str, begin: str, end: str, content: str) -> str:
    """Return a page with the part between its marks anew.

    Raises:
        ValueError: The page has no such marks.
    """
    head, opened, rest = page.partition(begin)
    _, closed, tail = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"the page lacks {begin.strip()} or {end.strip()}")
    return f"{head}{opened}{content}{closed}{tail}"
