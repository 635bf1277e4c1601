"""Per-rank loader state, other world size on load."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="dataloader-state-not-reshardable",
    card="dataloader-state-not-reshardable",
    signs=(
        Sign(
            6.0,
            r"dataloader\.dp_rank_|dp_rank_\d+",
        ),
        Sign(
            4.0,
            (
                r"(?:data ?-?loader|dataloader|sampler|data) (?:state|position)~(?:per|each|other|different"
                r"|more|fewer|another)~(?:rank|gpu|world size|worker)"
            ),
        ),
        Sign(
            3.0,
            r"data ?-?loader|stateful",
            (
                r"resum\w+~(?:on|with)~(?:gpus|world size|ranks|nodes)|different (?:world size|number of)"
                r"|other world size|world size (?:changed|differs)"
            ),
        ),
        Sign(
            -3.0,
            r"exhaust|bus error|\bhang",
        ),
    ),
    cost="the position in the data is lost or has to be worked out",
    confirm="the resumed run's first batch is the one expected",
)
