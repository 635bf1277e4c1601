"""Central DCP planning too slow/large."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="dcp-planning-does-not-scale",
    card="dcp-planning-does-not-scale",
    signs=(
        Sign(
            4.0,
            (
                r"create_global_plan|global plan|planning phase|plan(?:ning)?~(?:cach|coordinator|dedup"
                r"|validat)|enable_plan_caching|central plan"
            ),
        ),
        Sign(
            3.0,
            r"plan(?:ning|ner)?|metadata|coordinator|gather_object",
            r"minutes|slow|seconds|long|does not scale|gb\b",
            r"\d{3,} (?:gpus|ranks)|thousand|scale|large world",
        ),
        Sign(
            3.0,
            r"(?:checkpoint|save|dcp)\w*~(?:gets slower|slow|minutes|long)",
            r"with (?:more|the number of) (?:ranks|gpus|nodes)|rank 0~(?:busy|cpu|one core)|1024|2048|4096|512",
            r"plan|metadata|scale|rank 0",
        ),
        Sign(
            4.0,
            r"(?:load|save|all)[ -]?plans?\b|plans and metadata|gather_object",
            r"rank 0|gpu 0|coordinator",
            r"\bgb\b|gib|memory|minutes|buffers",
        ),
        Sign(
            4.5,
            r"metadata|\bplans?\b|object lists?|pickled",
            r"rank ?0|coordinator",
            r"arrive|collect|gather|scatter|of (?:every|all)|everybody|merge",
            r"\b\d{3,} (?:gpus|ranks|processes)|thousand|minutes|memory",
        ),
        Sign(
            4.5,
            (
                r"(?:disks?|storage|file ?system|writing)\b[^\n]{0,40}(?:idle|fast|not the|is not|seconds)"
                r"|faster (?:disk|storage|file)"
            ),
            r"first rank|rank ?0|one core|coordinator",
            r"\bsave|checkpoint",
            r"minutes|slow|long",
        ),
    ),
    cost="memory for the cached plan",
    confirm="the second save is shorter than the first by the planning",
)
