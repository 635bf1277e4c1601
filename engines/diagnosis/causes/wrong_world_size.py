"""Framework builds its sampler/strategy for another number of processes than were started."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="wrong-world-size",
    card="wrong-world-size",
    signs=(
        Sign(
            5.0,
            (
                r"invalid rank \d+, rank should be in the interval|mesh should not be bigger than"
                r"|num_replicas ?=|world size~(?:mismatch|does not match|not equal|wrong|should be|instead of"
                r"|but)|num_(?:nodes|processes) ?[=:]? ?\d+[^\n]{0,60}(?:\bbut\b|instead|started|launched"
                r"|while)"
            ),
        ),
        Sign(
            3.0,
            (
                r"(?:expected|configured|built) (?:for )?(?:\d+|\w+) (?:process(?:es)?|ranks?"
                r"|nodes?)[^\n]{0,50}(?:\bbut\b|started|launched|got)|world_size~(?:must|divisible|product"
                r"|degrees)"
            ),
        ),
        Sign(
            -3.0,
            r"dataloader\.dp|resum|slurm_procid",
        ),
        Sign(
            5.0,
            (
                r"world.?size[^\n]{0,20}\d*\)?[^\n]{0,30}(?:exceed|divisib|smaller|larger|less than|greater than"
                r"|multiple)|(?:exceed|divisible by|larger than|greater than|smaller than"
                r"|multiple of)(?: the)?[^\n]{0,12}world.?size"
            ),
        ),
        Sign(
            5.0,
            (
                r"world.?size:? ?\(?\d+\)? ?(?:!=|<>|is not|and not|≠|vs\.?) ?\(?(?:\d|dp|tp|pp|data|tensor)|(?:dp"
                r"|tp|pp|cp|ep)\w* ?[*x×] ?(?:dp|tp|pp|cp|ep)\w*[^\n]{0,20}(?:!=|not equal|must equal)|(?:!="
                r"|not equal to|must equal) ?(?:dp|tp|pp|cp|ep)\w* ?\d* ?[*x×]"
            ),
        ),
    ),
    confirm="dist.get_world_size() equals what the sampler was given",
)
