"""How many GPUs and machines a text speaks of, and whether its numbers agree."""

import re
from dataclasses import dataclass

from contracts.request import Language
from engines.intake.counts import count
from engines.intake.facts import Conflict
from engines.intake.gpu_mentions import Mention, Patterns, counted, gpu_mentions, patterns_for
from engines.intake.gpu_words import MEMORY, NOUN, QUALIFIED, TYPE
from engines.intake.instances import extract_instance


@dataclass(frozen=True)
class Fleet:
    """What was said about the number of machines and GPUs."""

    gpus: int | None = None
    """GPUs in all."""
    nodes: int | None = None
    """Machines."""
    spare: bool = False
    """Whether GPUs are said to be at hand beside the one in use."""
    conflicts: tuple[Conflict, ...] = ()
    """Counts that contradict each other."""


_ONE_GPU = re.compile(
    r"\b(?:an?(?:\s(?:lone|sole|solitary))?|my(?:\s\w+'s)?|this|that|(?:the|our|my)\s(?:only|sole)|et|en|mit|min|(?:mit|det|vores)\sene(?:ste)?|dette|1)\s+"
    rf"{QUALIFIED}(?:gpu|(?:grafik)?kort|card|{TYPE})(?![a-z0-9'])(?!-?\s?(?:cluster|node|hour|server|box"
    rf"|pool|klynge|time))"
)
_JUST_ONE = re.compile(
    r"\b(?:just|only|exactly|kun|præcis)\s(?:one|én|ét|1(?![.,]\d))\b(?!\s?(?:of|af|node|server|machine|box|maskine"
    r"|rank|step|epoch|x\b))"
)
_ONE_NODE = re.compile(
    r"\b(?:same|samme|one|single|an?|én|ét|en|et|enkelt|in\sthe|in\sour|i\sden)[\s-]+(?:(?!triton|inference|http|api|web|file|mcp|vllm)\w+[\s-]+){0,2}?"
    r"(?:node|server|machine|maskine|box|workstation|arbejdsstation|host|dgx)(?![a-z0-9])"
)
_THE_MACHINE = re.compile(
    r"\b(?:in|inside|on)\s(?:the|that|this)\s(?:same\s)?(?:machine|box|server|workstation|chassis)(?![a-z0-9])"
    r"|\bi\s(?:samme\s)?(?:maskinen|serveren|boksen|kabinettet|kassen)\b"
)
_WORKSTATION = re.compile(r"\b(?:our|my|the|this|vores|min|denne)\s(?:\w+\s)?(?:workstation|arbejdsstation)\b")
_GPU_NODE = re.compile(
    rf"\d\s?-?x?\s?{QUALIFIED}{NOUN}[\s-]*(?:{TYPE}\s)?(?:\(?{MEMORY}\)?\s*)?"
    r"(?:node|server|machine|maskine|box|workstation|instance)(?![a-z0-9])"
)
_PER_EACH_NODE = re.compile(r"(?:per|pr\.?|each|every|hver|/|within|inside|across|between|inden for|mellem)\s?$")
_KEYED_NODES = re.compile(
    r"(?:(?:--?|\b)(?:nnodes|num[_-]nodes|num_machines|nodes|noder|n_nodes|antal noder)[\"']?\s*[:=]\s*"
    r"|--nnodes\s+|--nodes\s+|-n\s+)"
    r"(\d{1,4})"
)
_NODE_RANGE = re.compile(
    r"\b(?:nodes?|noder|hosts?|servers?)\s?\[?(?:[a-z]+[a-z-]*)?(\d{1,4})\s?(?:-|\.\.|to|til"
    r"|through)\s?(?:[a-z]+[a-z-]*)?"
    r"(\d{1,4})\b"
)
_EIGHT_IN_A_BOX = re.compile(r"\b(?:dgx|hgx)(?!'?s?[\s-]?(?:spark|station|cloud|os\b))")
"""A DGX or HGX system of A100 to B300 holds 8 GPUs (NVIDIA's data sheets); a Spark or a Station does not."""
_NO_GPU = re.compile(
    r"(?:(?<![\w.,/:-])(?<!rank\s)(?<!gpu\s)(?<!device\s)(?:0|zero|nul)|\b(?:on|på|with|med|have|har|use|brug)\s-\d{1,4})"
    rf"\s?x?\s?{QUALIFIED}(?:gpus|gpu'?er|cards|(?:grafik)?kort|{TYPE})(?![a-z0-9])"
)
"""A count that no machine can have: none, or fewer."""
_MORE = re.compile(r"\b(?:more|other|extra|additional|further|flere|andre|ekstra|til)\b")
_INSTEAD = re.compile(r"^\W*(?:instead\sof|rather\sthan|i\sstedet\sfor|frem\sfor)\b")


def _nodes(text: str, patterns: Patterns) -> tuple[int | None, list[Mention]]:
    """Machines: stated by a key, counted, changed, listed as a range, or plainly one."""
    # "exit=137 host=..." is no count.
    mentions = [mention for mention in counted(patterns.nodes, text) if text[mention.start - 1 : mention.start] != "="]
    if (found := _KEYED_NODES.search(text)) and int(found[1]) > 0:
        return int(found[1]), mentions
    if found := patterns.node_change.search(text):
        return count(found[1] or found[2]), mentions
    if (found := _NODE_RANGE.search(text)) and int(found[2]) > int(found[1]):
        return int(found[2]) - int(found[1]) + 1, [*mentions, Mention(1, found.start(), found.end())]
    if mentions:
        return max(mention.value for mention in mentions), mentions
    for found in (
        *_ONE_NODE.finditer(text),
        *_GPU_NODE.finditer(text),
        *_THE_MACHINE.finditer(text),
        *_WORKSTATION.finditer(text),
    ):
        if not _PER_EACH_NODE.search(text[: found.start()]):
            return 1, mentions
    return None, mentions


def _multiplied(nodes: int | None, mentions: list[Mention]) -> Fleet:
    """Machines x GPUs of each, against any total that is stated."""
    each = sorted({mention.value for mention in mentions if mention.scope == "each"})
    product = (nodes or 1) * each[0]
    totals = [mention.value for mention in mentions if mention.scope == "stated_total" and mention.value != product]
    totals += [(nodes or 1) * value for value in each[1:]]
    if totals:
        return Fleet(None, nodes, conflicts=(Conflict("gpus", str(product), str(totals[0])),))
    return Fleet(product, nodes)


def _listed(text: str, nodes: int | None, mentions: list[Mention]) -> Fleet:
    """Counts without a machine to multiply by: one, or several that have to be settled."""
    values = list(dict.fromkeys(mention.value for mention in mentions))
    if len(values) > 1 and not _INSTEAD.match(text[mentions[0].end :]):
        largest = max(values)
        other = next(value for value in values if value != largest)
        return Fleet(largest, nodes, conflicts=(Conflict("gpus", str(largest), str(other), str(largest)),))
    return Fleet(values[0], nodes)


def _divided(text: str, mentions: list[Mention], patterns: Patterns) -> Fleet | None:
    """A total and the GPUs of each machine, where nobody counts the machines: "64 GPUs, 8 per node"."""
    found = patterns.per_node.search(text)
    each = count(found[1]) if found else 0
    if found is None or each == 0:
        return None
    totals = {mention.value for mention in mentions if not found.start() <= mention.start < found.end()}
    total = totals.pop() if len(totals) == 1 else 0
    return Fleet(total, total // each) if total >= each and total % each == 0 else None


_CONTRAST = re.compile(
    r"\W*(?:gpu|card|kort)?\W*(?:\w+\s){0,3}?(?:is\s|er\s|alt\s)*(?:fine|works?|worked|trains|converges"
    r"|runs|ok|okay|fungerer|virker|fint|kører)(?![\w-]|\s?(?:w/o|without|uden|\?))"
)
"""Behind "one GPU": it is what works, not what is asked about."""


def _one_or_spare(text: str, mentions: list[Mention], patterns: Patterns) -> tuple[int | None, bool]:
    """One GPU, and whether others stand idle beside it."""
    others = [mention for mention in mentions if mention.value > 1 and _MORE.search(text[mention.start : mention.end])]
    ends = [found.end() for pattern in (_ONE_GPU, _JUST_ONE) for found in pattern.finditer(text)]
    ends += [mention.end for mention in mentions if mention.value == 1]
    one = any(not _CONTRAST.match(text, end) for end in ends)
    if one and others:
        return others[0].value + 1, True
    if one and (found := patterns.more_of_them.search(text)):
        return count(found[1]) + 1, True
    found = patterns.of_them.search(text)
    if found and (total := count(found[1] or found[2])) > 1:
        return total, one
    return (1 if one else None), False


def extract_fleet(text: str, language: Language) -> Fleet:
    """Count GPUs and machines.

    Args:
        text: Lower-case text with uniform signs.
        language: Language of the text, for its number words.

    Returns:
        Totals over all machines; None where nothing was said or where it contradicts itself.
    """
    patterns = patterns_for(language)
    nodes, node_mentions = _nodes(text, patterns)
    if rented := extract_instance(text, language):
        machines = rented[1] or nodes or 1
        return Fleet(rented[0].gpus * machines, machines)
    if found := patterns.change.search(text):
        return Fleet(gpus=count(found[1] or found[2]), nodes=nodes)
    if found := patterns.choice.search(text):
        return Fleet(None, nodes, conflicts=(Conflict("gpus", str(count(found[1])), str(count(found[2]))),))
    found = patterns.small_nodes.search(text)
    if found and count(found[1]) > 0:
        return Fleet(count(found[1]) * int(found[2]), count(found[1]))
    mentions = list(gpu_mentions(text, node_mentions, patterns))
    if not node_mentions and (nodes or 1) == 1 and (divided := _divided(text, mentions, patterns)):
        return divided
    several = [mention for mention in mentions if mention.value > 1]
    grid = patterns.grid.search(text)
    if (nodes or 0) > 1 and any(mention.scope == "each" for mention in several):
        return _multiplied(nodes, several)
    if grid and int(grid[1]) > 0 and not node_mentions:
        return Fleet(int(grid[1]) * int(grid[2]), nodes or int(grid[1]))
    if not several and (found := _EIGHT_IN_A_BOX.search(text)):
        return Fleet(8 * (nodes or 1), nodes or 1)
    single, spare = _one_or_spare(text, mentions, patterns)
    if several and not spare:
        return _listed(text, nodes, several)
    if single is not None:
        return Fleet(single, nodes, spare)
    if _NO_GPU.search(text):
        return Fleet(0, nodes)
    found = patterns.ranks.search(text)
    return Fleet(count(found[1]) if found else None, nodes)
