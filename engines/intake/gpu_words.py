"""Patterns for GPUs and machines in running text; all for lower-case text, without groups."""

from engines.intake.tables import GPUS

TYPES = "|".join(pattern for pattern, _ in sorted(GPUS.values(), key=lambda entry: len(entry[0]), reverse=True))
"""Any known GPU type."""
PLURAL = r"(?:'?(?:erne|ere|er|ene|en|s|r))?"
"""Plural endings of English and Danish on a type or an abbreviation."""
TYPE = rf"(?:(?<![\w.])|(?<=\dx))(?:{TYPES}){PLURAL}(?![a-z0-9])"
"""A GPU type as a word of its own."""
MEMORY = r"(?<!\d)\d{1,3}\s?-?(?:gib|gb|g)\b"
"""A memory size."""
_MAKERS = r"nvidia|amd|tesla|quadro|geforce|radeon|instinct|cuda"
_QUALITIES = (
    r"identical|same|idle|unused|spare|local|more|extra|additional|other|dedicated|consumer|gaming|desktop|laptop|old"
    r"|new|big|small|own|rented|shared|pcie|sxm\d?|nvlink|lousy|modest|free|whole|physical|available|ordinary|used"
    r"|ens|samme|ledige?|flere|ekstra|andre|egne?|eget|gamle?|nye?|store|små|lokale?|lejede|brugte?|almindelige?"
)
QUALIFIED = rf"(?:(?:{_MAKERS}|{_QUALITIES}|of|the|our|these|those|de|vores|af|(?:{MEMORY}))[\s-]+)*"
"""Words that may stand between a count and its noun."""
_UNIT = (
    r"gpu(?:'?(?:erne|er|en|ene|s))?|gpu-kort(?:ene)?|(?:grafik|video)?kort(?:ene|et)?|(?:graphics\s)?cards?"
    r"|accelerators?|acceleratorer"
)
NOUN = rf"(?:(?<!\w)(?:{_UNIT})(?![a-z0-9_]|-?(?:timer|hours?|time)\b)|{TYPE})"
"""A GPU, by any name, one or several."""
NODE = (
    r"(?:nodes?|noder(?:ne)?|noden|servers?|servere|serverne|serveren|machines?|maskiner(?:ne)?|maskinen?|hosts?|boxes"
    r"|box|workstations?|arbejdsstationer?|dgx(?:'er|es|en)?(?:[- ](?:boxes|box|nodes?|systems?|h100|a100))?|hgx)"
    r"(?![a-z0-9])"
)
"""A machine, one or several."""
PER_NODE = (
    r"(?:each\b|apiece|per[- ](?:node|machine|server|host|box)|pr\.?\s?(?:node|maskine|server|stk)"
    r"|/\s?node|hver(?:t)?\b"
    r"|(?:on|in)\seach|[ip]å?\shver|a\snode|i\shver)"
)
"""Says that a count holds for every machine."""
TOTAL = r"(?:in\stotal|total\b|altogether|in\sall\b|overall|i\salt\b|tilsammen|samlet\b|combined)"
"""Says that a count holds for all machines together."""
