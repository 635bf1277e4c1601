"""Ranks have different batch counts."""

from engines.diagnosis.cause import HANG, OOM, RANK0_ONLY, CauseRule, Sign

RULE = CauseRule(
    cause="uneven-batches-per-rank",
    card="uneven-batches",
    signs=(
        Sign(
            4.0,
            (
                r"(?:different|unequal|uneven|varying|not the same|differing|more|fewer"
                r"|one) (?:number of )?(?:micro-?)?(?:batch(?:es)?|steps|samples|iterations)~(?:per rank"
                r"|each rank|rank|more|fewer|than|gpu|process)|(?:rank|gpu|process|loader)~(?:runs? out of"
                r"|out of|one more|exhaust\w*|finish\w*|fewer|longer)~(?:batch|data|epoch|iterator|samples)"
                r"|dynamic_bsz|dynamic batch|iterabledataset|iterable dataset|drop_last|even_batches"
            ),
            HANG + r"|end of (?:the )?epoch|wait|nothing after",
        ),
        Sign(
            3.0,
            (
                r"end of (?:the |an |each )?epoch|last (?:step|batch)|(?:after|from|between) (?:one "
                r"|the first |each |an |every )?epoch|epoch (?:transition|boundary|change)|validation~(?:whole"
                r"|set|end)"
            ),
            HANG + r"|nothing after",
        ),
        Sign(
            3.0,
            r"rank \d+ batch \d+",
            r"rank \d+ batch \d+",
            r"nothing after|" + HANG,
        ),
        Sign(
            3.0,
            r"last enqueued nccl work",
        ),
        Sign(
            2.0,
            r"min_\w+_tokens|packed|pack(?:ed|ing)|filter\w*~(?:sample|batch)|max_tokens",
            HANG + r"|nothing after|last enqueued",
        ),
        Sign(
            2.0,
            r"(?:one|single|gpu|rank) ?\d* ?(?:gpu|rank|card)?~(?:is |at |sits? )~(?:idle|0 ?%)",
            r"(?:others?|rest|seven|all)~(?:100 ?%|busy|full util|spin)",
            HANG,
        ),
        Sign(
            -3.0,
            r"main process|tokens per rank|" + RANK0_ONLY + "|" + OOM + r"|expert|synced_gpus|_with_generate",
        ),
        Sign(
            4.0,
            (
                r"stopiteration|data ?set (?:is |was )?exhausted|(?:hits?|reach\w*) (?:the "
                r"|its )?end[^\n]{0,30}(?:before|earlier|first|sooner)"
            ),
            r"\bone\b|others?|some|rest|before|earlier|rank \d",
        ),
    ),
    cost="samples are dropped or padded",
    confirm="all ranks print the same number of batches",
)
