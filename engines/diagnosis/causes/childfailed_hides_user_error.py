"""Torchrun's ChildFailedError banner is all that is shown; the worker's own exception must be found first."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="childfailed-hides-user-error",
    card="childfailed-hides-user-error",
    signs=(
        Sign(
            3.0,
            r"childfailederror",
        ),
        Sign(
            4.0,
            r"child process failed with no error_file|process failed with exitcode \d",
        ),
        Sign(
            1.0,
            r"error_file: <n/a>|to enable traceback see",
        ),
        Sign(
            3.0,
            (
                r"(?:only|all (?:i|we) (?:get|see))~(?:childfailederror|failed \(exitcode)"
                r"|no (?:python )?traceback~torchrun|torchrun~no (?:useful )?(?:error|traceback)"
            ),
        ),
        Sign(
            -2.5,
            r"traceback \(most recent|\b(?!childfailed)\w+error: \S|exitcode ?: ?-|exception: |signal \d",
        ),
        Sign(
            4.0,
            r"\A(?=.)(?!.*childfailederror).*(?:exit ?code\W{1,3}1\b|failed \(exitcode)",
            r"error_file|sending process|closing signal|failed \(exitcode|root cause \(first",
        ),
    ),
    fallback=True,
    confirm="the worker's own traceback appears; diagnose that",
)
