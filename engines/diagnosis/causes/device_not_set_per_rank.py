"""No torch.cuda.set_device(local_rank)/device_id: all ranks of a node use GPU 0."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="device-not-set-per-rank",
    card="device-not-selected",
    signs=(
        Sign(
            3.0,
            r"duplicate gpu detected",
        ),
        Sign(
            4.0,
            (
                r"all (?:\w+ )?(?:workers|ranks|processes)~(?:use|on|sit on|land on|allocate on) (?:gpu"
                r"|cuda)[: ]?0|(?:gpu|cuda:?) ?0\b[^\n]{0,40}\b(?:full|all (?:the )?(?:ranks|processes))"
                r"|other (?:\w+ )?gpus are (?:empty|idle)|only (?:gpu|cuda:?) ?0~(?:used|memory|busy)"
            ),
        ),
        Sign(
            3.0,
            r"set_device",
            r"missing|forgot|never|without|no |not called|never called",
        ),
        Sign(
            3.0,
            r"every (?:rank|process|worker)~(?:on|uses?) (?:the )?(?:same gpu|first gpu|gpu 0|cuda:0)",
        ),
        Sign(
            -3.0,
            r"srun|ntasks|devices ?= ?\[|visible_devices|torchrun once|rank \d+ and rank (?:8|9|1\d)\b",
        ),
        Sign(
            3.0,
            r"all (?:\w+ )?(?:workers|ranks|processes) on (?:device|gpu|cuda|card)[: ]?0",
            r"duplicate|set_device|out of memory",
        ),
        Sign(
            5.0,
            r"expects tensor to be on the compute device",
        ),
        Sign(
            3.0,
            r"\A(?=.)(?!.*set_device).*init_process_group",
            r"local_rank",
            r"compute device|wrong device|cuda:0 and cuda:\d|duplicate gpu|gpu 0",
        ),
        Sign(
            5.0,
            r"process \d+ has [\d.]+ [gm]ib[^\n]*process \d+ has [\d.]+ [gm]ib",
        ),
    ),
    confirm="nvidia-smi shows one process on each GPU",
)
