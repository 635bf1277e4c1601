"""Rank from wrong source.

Script takes rank/world size/local rank from a variable that does not describe this process (e.g.
SLURM_PROCID under torchrun).
"""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="rank-from-wrong-source",
    card="rank-from-wrong-source",
    signs=(
        Sign(
            5.0,
            r"slurm_procid|slurm_localid|slurm_ntasks|ompi_comm_world|pmi_rank",
            r"torchrun|init_process_group|launch|rank",
        ),
        Sign(
            4.0,
            (
                r"set_device\((?:dist\.get_rank\(\)|rank|global_rank|int\(os\.environ\[.rank.\]\))\)"
                r"|global rank~(?:as|for)~(?:device|gpu|cuda)|claims? (?:to be )?rank 0|(?:all|every"
                r"|both)[^\n.]{0,40}(?:have|are|has|is|say|report|print|log|think)s?(?: as| itself| they are"
                r"| it is)?(?: the)?(?: global)? rank:? ?0|duplicate ranks?|(?:same"
                r"|wrong) global rank"
            ),
            r"device|ordinal|rank|node|machine",
        ),
        Sign(
            5.0,
            r"\bglobal.?rank:? ?(\d+)\b.{0,300}?\bglobal.?rank:? ?\1\b",
            r"srun|slurm|init|member",
        ),
        Sign(
            2.0,
            r"invalid device ordinal",
            r"second|two (?:machines|nodes)|node|multi|global",
        ),
        Sign(
            -3.0,
            r"cuda_visible_devices ?=|gpus.per.task|gpu-bind|duplicate gpu|fairseq2",
        ),
        Sign(
            4.0,
            (
                r"(?:two|both|several|all|three|four|eight) (?:processes|workers|ranks|tasks"
                r"|agents)[^\n]{0,30}(?:reports?|says?|claims?|gets?|have|calls? themselves)\b[^\n]{0,20}rank ?\d(?!.s)"
            ),
        ),
    ),
    confirm="each process prints RANK, LOCAL_RANK and WORLD_SIZE, all different or as intended",
)
