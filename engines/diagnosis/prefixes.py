"""Takes off a log line what launchers and log collectors put before it, and learns the rank from that.

`[rank3]:` and `[default3]:` (torch, torchrun --tee), `3: ` (srun -l), `[pod/job-worker-3/pytorch]` (kubectl
--prefix), `job-worker-3  | ` (compose), `(Worker pid=71, ip=10.0.0.2)` (Ray), each after a time stamp or not.
"""

import re

_PREFIX = re.compile(
    r"\s*(?:"
    r"\[(?:rank|default|trainer|worker|Rank )\s?(?P<tagged>\d{1,6})\]:?"
    r"|\[(?P<bare>\d{1,6})\]:(?=\s)"
    r"|(?P<task>\d{1,6}):(?=\s)"
    r"|rank(?P<word>\d{1,6})\s?[:|](?=\s)"
    r"|\[pod/[\w.-]*?(?P<pod>\d{1,6})/[\w.-]+\]"
    r"|[a-z][\w.-]*?[-_](?P<service>\d{1,6})\s+\|"
    r"|\((?P<actor>[A-Za-z]\w* (?:pid|rank)=\d+)[^)\n]{0,120}\)"
    r")\s?",
    re.IGNORECASE,
)
_STAMP_BEFORE = re.compile(r"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?=[\[(\d])")
_NAMED = re.compile(r"\[rank ?(\d{1,6})\]|\brank[ =:] ?(\d{1,6})\b", re.IGNORECASE)
_PREFIXES_MAX = 3
_ACTORS_MAX = 4096
_INNERMOST = ("tagged", "bare", "word")


def split_prefix(text: str, actors: dict[str, str] | None = None) -> tuple[str | None, str]:
    """Return the rank that the prefixes of a line name, and the rest of the line.

    Where several prefixes name one, the innermost that names a rank wins: a task or a pod may run many ranks.

    Args:
        text: A line without control characters.
        actors: Ranks of Ray's workers as far as their lines have named one; it is added to.
    """
    rank: str | None = None
    sure, actor, at = False, None, 0
    for _ in range(_PREFIXES_MAX):
        stamp = _STAMP_BEFORE.match(text, at)
        found = _PREFIX.match(text, stamp.end() if stamp else at)
        if found is None:
            break
        name = found.lastgroup or ""
        if name == "actor":
            actor = found["actor"]
        elif name in _INNERMOST or not sure:
            rank, sure = found[name], sure or name in _INNERMOST
        # A stamp before a prefix is kept: it tells when.
        text, at = (stamp[0].rstrip() + " " + text[found.end() :], 0) if stamp else (text[found.end() :], 0)
        if stamp:
            break
    if actor is not None and actors is not None:
        rank = _of_actor(actor, rank, text, actors)
    return str(int(rank)) if rank is not None else None, text.strip()


def _of_actor(actor: str, rank: str | None, text: str, actors: dict[str, str]) -> str | None:
    if rank is None and (named := _NAMED.search(text[:200])):
        rank = named[1] or named[2]
    if rank is None:
        return actors.get(actor)
    if len(actors) < _ACTORS_MAX:
        actors.setdefault(actor, rank)
    return rank
