"""Sharded checkpoint on node-local disks."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="checkpoint-needs-shared-fs",
    card="checkpoint-needs-shared-fs",
    signs=(
        Sign(
            4.0,
            (
                r"(?:node.local|local (?:disk|nvme|ssd|scratch|storage|path|drive)|own (?:disk|nvme|ssd"
                r"|scratch|local|drive|/tmp)|not (?:a )?shared|no shared|/tmp/|each (?:node|machine"
                r"|host)~(?:its own|own|local))"
            ),
            r"checkpoint|ckpt|\.metadata|\.distcp|shard",
            r"node|machine|host|pod",
        ),
        Sign(
            3.0,
            r"\.metadata",
            r"(?:only|just)~(?:machine|node|host|rank) ?0|not on (?:the )?other (?:machines|nodes|hosts)",
        ),
        Sign(
            3.0,
            (
                r"no such file or directory~(?:\.metadata|\.distcp)|(?:\.metadata|\.distcp)~(?:no such file"
                r"|does not exist|not found|missing)"
            ),
            (
                r"second (?:node|machine|host)|other (?:node|machine|host)s?|two (?:node|machine|host)s"
                r"|node ?[12b]|multi-?node|nodes"
            ),
        ),
        Sign(
            1.0,
            r"\.distcp|\.metadata",
            r"no such file|not exist|not found|missing",
        ),
        Sign(
            -3.0,
            r"killed (?:during|while)|scancel|incomplete|interrupted|preempt",
        ),
        Sign(
            5.0,
            (
                r"(?:pod|node|machine|host|server|worker)\b[^\n]{0,60}(?:__\d+_\d+|\.metadata)[^\n]{0,80}(?:other"
                r"|second|pod|node|machine|worker)\b[^\n]{0,40}(?:__\d+_\d+|\.metadata|none|nothing)"
            ),
        ),
        Sign(
            5.0,
            r"checkpoint|ckpt|shard",
            r"tmpdir|scratch|\bown\b|\blocal\b|(?:every|each) (?:server|node|machine|host|box)",
            r"(?:other|new|different|another) (?:servers?|nodes?|machines?|hosts?|box(?:es)?)",
            r"(?:can.?t|cannot|not|doesn.t) (?:be )?(?:find|found)|missing|lacks?|no such|not there",
        ),
    ),
    cost="a shared file system, or a copy of all shards to all nodes",
    confirm="ls of the checkpoint folder shows .metadata and all .distcp files on every node",
)
