"""A package is missing in the interpreter of the ranks."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="package-missing",
    card="package-missing",
    signs=(
        Sign(
            6.0,
            r"modulenotfounderror: no module named",
        ),
        Sign(
            4.0,
            r"importerror: (?:no module|lib\S+\.so|dll load)",
        ),
        Sign(
            3.0,
            r"no module named|(?:package|module) (?:is )?(?:missing|not installed|not found)",
            r"torchrun|rank|job|slurm|container",
        ),
    ),
    outside="never_fsdp",
    confirm="the interpreter of the job imports it: python -c 'import NAME'",
)
