"""The part of the verdict that is arithmetic: do the model states fit one GPU?"""

from contracts.need import ReasonCode
from engines.intake.facts import Values
from engines.intake.judgement import Because, Judgement
from engines.intake.states import OPTIMIZERS, Arithmetic, arithmetic


def numbers(sums: Arithmetic) -> dict[str, float | int | str]:
    """Name the numbers of an arithmetic for the sentences.

    Args:
        sums: The arithmetic.

    Returns:
        Placeholder names to numbers, in the units that the sentences state.
    """
    return {
        "params_b": sums.params / 1e9,
        "bytes": sums.bytes_per_param,
        "optimizer": OPTIMIZERS[sums.optimizer][0],
        "state_bytes": OPTIMIZERS[sums.optimizer][1],
        "states": sums.states_gb,
        "states_own": sums.states_own_gb,
        "frozen": sums.frozen_gb,
        "activations": sums.activations_gb,
        "one_gpu": sums.one_gpu_gb,
        "replica": sums.replica_gb,
        "mem": sums.gpu_mem_gb,
        "usable": sums.usable_gb,
        "gpus": sums.gpus or 0,
        "sharded": sums.sharded_gb,
        "per_gpu": sums.sharded_gb + sums.gathered_gb + sums.activations_gb,
        "gathered": sums.gathered_gb,
        "seq_len": sums.seq_len,
        "batch": sums.batch,
        "logits": sums.logits_gb,
        "vocabulary": sums.vocabulary,
    }


def states_says(sums: Arithmetic) -> tuple[str, ...]:
    """Choose the sentences that write out the model states.

    Args:
        sums: The arithmetic.

    Returns:
        Keys of `texts_en.REASONS`.
    """
    assumed = ("method_assumed",) if sums.method_assumed else ()
    full = "states_full" if sums.optimizer == "adamw" else "states_full_otherwise"
    states = full if sums.method == "full" else f"states_{sums.method}"
    return (*assumed, states, *(("states_frozen",) if sums.frozen_gb else ()))


_LOGITS_SHARE = 0.25
"""Share of a GPU's usable memory from which on the logits are worth a word."""


def _logits_say(sums: Arithmetic) -> tuple[str, ...]:
    """Name the logits where they are a good part of the memory, and what does without them."""
    if sums.logits_gb <= _LOGITS_SHARE * sums.usable_gb:
        return ()
    return ("logits_assumed" if sums.vocabulary_assumed else "logits", "logits_remedy")


def _because(code: ReasonCode, sums: Arithmetic, *says: str) -> Because:
    assumed = ("memory_assumed",) if sums.memory_assumed else ()
    return Because(code, (*states_says(sums), *says, *assumed), numbers(sums))


def _exceeds(sums: Arithmetic) -> Because:
    """Why one GPU is too small, and what sharding makes of it."""
    shared = ("sharded",) if (sums.gpus or 0) > 1 else ()
    if not sums.states_fit:
        return _because("model_states_exceed_one_gpu", sums, "states_exceed", *shared)
    return _because("activations_exceed_one_gpu", sums, "activations_exceed", *shared)


def _shard(sums: Arithmetic) -> Judgement:
    reasons = [_exceeds(sums)]
    if not sums.states_fit and sums.activations_gb > 0.25 * sums.usable_gb:
        reasons.append(Because("activations_exceed_one_gpu", ("activations_second",), numbers(sums)))
    if (sums.gpus or 0) > 1 and not sums.fits_sharded:
        reasons.append(Because("needs_more_than_fsdp", ("more_than_fsdp", *_logits_say(sums)), numbers(sums)))
    return Judgement("use_fsdp", tuple(reasons))


def _fits(sums: Arithmetic) -> Judgement:
    """One GPU holds it: replicas where there are several GPUs."""
    code: ReasonCode = "fits_one_gpu" if sums.method == "full" else "lora_on_one_gpu_suffices"
    reasons = [_because(code, sums, "fits")]
    if sums.gpus is not None and sums.gpus > 1:
        reasons.append(Because("ddp_suffices", ("ddp",), numbers(sums)))
    elif sums.gpus == 1:
        reasons.append(Because("single_gpu_only", ("single_gpu",)))
    several = sums.gpus is None or sums.gpus > 1
    instead = {True: "ddp" if several else "one_gpu", False: "lora_ddp" if several else "lora_one_gpu"}
    return Judgement("not_needed", tuple(reasons), instead[sums.method == "full"])


def _one_gpu_too_small(values: Values, sums: Arithmetic, firm: bool) -> Judgement:
    """There is one GPU and it does not hold this: a lighter method, or wait for GPUs."""
    if not firm:
        for method in ("lora", "qlora"):
            lighter = arithmetic(values, method)
            if lighter is not None and lighter.fits_one:
                fit = _because("lora_on_one_gpu_suffices", lighter, "fits")
                return Judgement(
                    "not_needed", (fit, Because("single_gpu_only", ("single_gpu",)), _exceeds(sums)), "lora_one_gpu"
                )
    return Judgement(
        "wait",
        (
            Because("no_multi_gpu_hardware", ("nothing_to_shard_over",)),
            _exceeds(sums),
            Because("single_gpu_only", ("single_gpu",)),
        ),
        "more_gpus",
    )


def judge_memory(values: Values) -> Judgement | None:
    """Decide by arithmetic.

    Args:
        values: What is known.

    Returns:
        use_fsdp, not_needed or wait; None where the number of parameters is not known.
    """
    sums = arithmetic(values)
    if sums is None:
        return None
    if sums.fits_one and (sums.gpus or 1) > 1 and not sums.fits_replicated:
        return Judgement("use_fsdp", (_because("model_states_exceed_one_gpu", sums, "ddp_exceeds", "sharded"),))
    if sums.fits_one:
        return _fits(sums)
    if values.gpus == 1:
        return _one_gpu_too_small(values, sums, firm=values.method == "full")
    return _shard(sums)
