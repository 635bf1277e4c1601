"""Dcp planner mismatch.

DCP load with other planner options (flattening) than at save; note that planner=None already is
DefaultLoadPlanner.
"""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="dcp-planner-mismatch",
    card="dcp-planner-mismatch",
    signs=(
        Sign(
            5.0,
            r"flatten_state_dict|flatten_sharded_tensors",
        ),
        Sign(
            3.0,
            r"defaultsaveplanner|defaultloadplanner",
            r"missing key|mismatch|not found|other (?:planner|options)|keyerror",
        ),
        Sign(
            3.0,
            r"planner",
            r"missing key|not found|mismatch|load",
        ),
        Sign(
            2.0,
            r"missing key in checkpoint state_dict",
            r"nested|planner|flatten",
        ),
        Sign(
            4.0,
            r"checkpoint",
            (
                r"\b(?!layers?\.|blocks?\.|h\.)\w+\.\d+\.(?!weight|bias)\w+|lists?\b~(?:dict|entr|element)"
                r"|entry~(?:list|dict)"
            ),
            r"missing key|looks for|not in the checkpoint|mismatch|expects",
            r"upgrad|newer|torch ?2\.\d|version|flatten|nested|empty",
        ),
        Sign(
            -2.0,
            r"create_local_plan|create_global_plan|dp_rank|optimizer\.state\.\d",
        ),
    ),
    confirm="the keys of read_metadata().state_dict_metadata equal those that are asked for",
)
