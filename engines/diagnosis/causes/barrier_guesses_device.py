"""Barrier picks a device from the global rank."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="barrier-guesses-device",
    card="barrier-guesses-device",
    signs=(
        Sign(
            5.0,
            (
                r"guessing device id based on global rank|using gpu \d+ (?:to perform"
                r"|as device used by) barrier|devices used by this process are currently unknown"
                r"|barrier\(\): using the device under current context"
            ),
        ),
        Sign(
            3.0,
            (
                r"barrier~(?:device_ids|device_id|wrong gpu|picks? (?:a |the )?(?:wrong )?(?:gpu|device)"
                r"|global rank)|(?:wrong gpu|extra (?:cuda )?context|gpu 0)~barrier"
            ),
        ),
        Sign(
            -3.0,
            r"if (?:\w+\.)?(?:get_)?rank(?:\(\))? ?== ?0|is_main_process",
        ),
        Sign(
            4.0,
            r"barrier",
            r"device (?:is |was )?(?:unknown|not known|guess)|(?:will|would) use gpu|guess\w*~(?:device|gpu)",
        ),
    ),
    confirm="the warning is gone, and nvidia-smi shows one process on each GPU",
)
