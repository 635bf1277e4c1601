"""The newest checkpoint directory was left incomplete by a kill during the save (no .metadata)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="partial-checkpoint",
    card="partial-checkpoint",
    signs=(
        Sign(
            5.0,
            (
                r"incomplete (?:checkpoint|folder|directory|save)|partial(?:ly written)? (?:checkpoint|save"
                r"|folder)|metadata is none|half.?written"
            ),
        ),
        Sign(
            4.0,
            r"killed|preempt|scancel|interrupt|crash|node fault|power|time limit",
            r"(?:during|while|in the middle of)~(?:sav|writ|checkpoint)|newest|latest|last checkpoint",
            r"load|resum|\.metadata|not found|missing|fail",
        ),
        Sign(
            2.0,
            r"\.metadata",
            r"missing|no such file|not found",
            r"newest|latest|last|resum|before it",
        ),
        Sign(
            5.0,
            # a file of the checkpoint, not one of the model as it was downloaded
            r"checkpointexception|dcp\.load|\.distcp|dist_cp\.load",
            r"pytorchstreamreader failed|central directory|unexpected (?:eof|end|pos)|truncat|file in archive is not",
        ),
        Sign(
            -3.0,
            r"each (?:node|machine)|own nvme|on the first machine|timeout\(ms\)",
        ),
    ),
    cost="the steps since the checkpoint before it",
    confirm="the folder before it loads",
)
