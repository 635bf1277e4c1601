"""Started without torchrun/accelerate."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="env-vars-missing-no-launcher",
    card="python-instead-of-torchrun",
    signs=(
        Sign(
            6.0,
            (
                r"environment variable (?:rank|world_size|master_addr|master_port"
                r"|local_rank) expected, but not set|keyerror: .(?:rank|local_rank|world_size|master_addr"
                r"|master_port)\b|error initializing torch\.distributed using env"
            ),
        ),
        Sign(
            4.0,
            r"(?:plain |just |simply |by |with )python3?\b|^python3? \S+\.py|\bpython3? \w+\.py",
            (
                r"without torchrun|no torchrun|process group (?:is |has )?not (?:been )?initiali[sz]ed"
                r"|default process group|only one gpu|world size (?:is )?1"
            ),
        ),
        Sign(
            -3.0,
            r"torchrun|childfailederror|torch\.distributed\.run",
        ),
        Sign(
            2.0,
            (
                r"default process group has not been initialized|no (?:launcher|torchrun)"
                r"|without (?:a )?(?:launcher|torchrun|accelerate launch)|jupyter|notebook"
            ),
        ),
    ),
    confirm="under the launcher `env | grep RANK` prints RANK and LOCAL_RANK",
)
