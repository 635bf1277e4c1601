"""Known defect of the NCCL or network plug-in release in use, gone after changing the version."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="nccl-version-bug",
    card="nccl-version-bug",
    signs=(
        Sign(
            4.0,
            (
                r"nccl (?:version )?2\.\d+(?:\.\d+)?~(?:\bhang|bug|works|upgrad|downgrad|fixed|instead|gone"
                r"|disappear)|(?:upgrad|downgrad|updat|chang)\w*~nccl~(?:fix|help|work|gone|disappear|solv)"
                r"|nccl bug"
            ),
        ),
        Sign(
            4.0,
            r"aws.ofi.nccl|\befa\b|nccl plug-?in|net plug-?in|could not find net with id",
            r"\bhang|works|bundled|version|previous|warn",
        ),
        Sign(
            3.0,
            (
                r"(?:worked|works)~(?:previous|older|earlier|other|before|without)~(?:container|image|version"
                r"|nccl|driver|plug)"
            ),
            r"nccl",
        ),
    ),
    confirm="torch.cuda.nccl.version() is the other release and the same job passes",
)
