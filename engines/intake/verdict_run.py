"""The verdict on a structured request to run: it was asked for, with model and data named."""

from contracts.request import Request
from engines.intake.facts import Values
from engines.intake.judgement import Because, Judgement
from engines.intake.states import Arithmetic, arithmetic
from engines.intake.verdict_memory import judge_memory, numbers, states_says


def names_a_run(request: Request) -> bool:
    """Tell whether the request names what a run needs.

    Args:
        request: The request.

    Returns:
        True with a model and data, or with a script of the user's own.
    """
    return request.script is not None or (request.model is not None and request.data is not None)


def ranks_of(request: Request, values: Values) -> int:
    """Count the processes of the job.

    Args:
        request: The request.
        values: What is known.

    Returns:
        The stated world size, else one for each GPU, else 1.
    """
    return request.hardware.ranks or values.gpus or 1


def _asked(request: Request, sums: Arithmetic | None, ranks: int, by_memory: bool) -> Because:
    says = ["run_script"] if request.script else ["run_asked" if ranks > 1 else "run_asked_one"]
    if request.trials and request.script is None:
        says = ["trials_asked"]  # data need not be named for them
    placeholders: dict[str, float | int | str] = {"ranks": ranks, "trials": request.trials}
    if sums is not None and not by_memory:
        placeholders |= numbers(sums) | {"per_rank": sums.states_gb / ranks}
        says += states_says(sums)
        if ranks > 1:
            says.append("run_sharded")
    if request.method in ("lora", "qlora") and request.script is None:
        says.append("lora_run")
    if ranks == 1:
        says.append("run_one_rank")
    elif sums is not None and not by_memory:
        says.append("run_not_by_memory")
    return Because("explicit_run_request", tuple(says), placeholders)


def judge_run(request: Request, values: Values) -> Judgement:
    """Decide on an explicit run request: it is run, with what memory says beside it.

    Args:
        request: A request for which `names_a_run` holds.
        values: What is known.

    Returns:
        use_fsdp, except where adapters are asked for and one GPU is enough for them.
    """
    memory = None if request.hardware.device == "cpu" else judge_memory(values)
    if request.script is None and values.method in ("lora", "qlora") and memory and memory.verdict == "not_needed":
        return memory
    ranks = ranks_of(request, values)
    by_memory = memory is not None and memory.verdict == "use_fsdp"
    asked = _asked(request, arithmetic(values), ranks, by_memory)
    if memory is None:
        return Judgement("use_fsdp", (asked,))
    beside = tuple(because for because in memory.because if because.code != "no_multi_gpu_hardware")
    return Judgement("use_fsdp", (*beside, asked) if by_memory else (asked, *beside))
