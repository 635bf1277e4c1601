"""The need gate: a Request becomes a Need, the same one every time."""

from dataclasses import replace

from contracts.need import Extracted, Need
from contracts.request import Intent, Request
from engines.intake.facts import Reading, Values
from engines.intake.judgement import Because, Judgement
from engines.intake.missing import Gap, conflict_gaps, gaps
from engines.intake.reading import read_text
from engines.intake.structured import merge, structured_values
from engines.intake.verdict_memory import judge_memory
from engines.intake.verdict_run import judge_run, names_a_run
from engines.intake.wording import instead, missing_input, reason


def _intent(request: Request) -> Intent:
    if request.intent is not None:
        return request.intent
    if request.data is not None and request.model is not None:
        return "run"
    if request.script is not None:
        return "review"
    return "plan"


def _judge(request: Request, intent: Intent, values: Values) -> Judgement:
    if intent == "run" and names_a_run(request):
        return judge_run(request, values)
    if intent == "review":
        return Judgement("use_fsdp", (Because("fsdp_code_review", ("review",)),))
    if intent == "diagnose":
        return Judgement("use_fsdp", (Because("multi_gpu_failure", ("failure",)),))
    if intent == "ask":
        return Judgement("use_fsdp", (Because("distributed_question", ("question",)),))
    unknown = Because("insufficient_information", ("no_information",))
    return judge_memory(values) or Judgement("wait", (unknown,), "tell_more")


def _signals(request: Request, reading: Reading) -> frozenset[str]:
    """Signals of the text and of the structured fields."""
    shown = set(reading.signals)
    if request.hardware.device == "cpu":
        shown.add("device_cpu")
    if request.torch:
        shown.add("torch_version")
    if request.paths or request.script:
        shown.add("material")
    return frozenset(shown)


def _run_gaps(request: Request) -> list[Gap]:
    """What a run cannot start without."""
    if request.script is not None:
        return []
    missing = []
    if request.model is None or request.model.path is None:
        missing.append(Gap("model", "model"))
    if request.data is None:
        missing.append(Gap("data", "data"))
    return missing


def _extracted(values: Values) -> Extracted:
    return Extracted(
        model=values.model,
        params_b=values.params_b,
        gpus=values.gpus,
        nodes=values.nodes,
        gpu_type=values.gpu_type,
        gpu_mem_gb=values.gpu_mem_gb,
        seq_len=values.seq_len,
        batch=values.batch,
        method=values.method,
    )


def assess_request(request: Request, model_params: int | None = None) -> Need:
    """Judge whether a request is a case for FSDP, and what it lacks.

    Args:
        request: Structured fields, free text, or both; the structured fields win.
        model_params: Parameters counted in the model folder, where it was read.

    Returns:
        The verdict with reasons, values, missing inputs and what to do instead, in the
        language of the request.
    """
    reading = read_text(request.text)
    values, conflicts = merge(structured_values(request, model_params), reading)
    signals = _signals(request, reading)
    intent = _intent(request)
    if intent == "run" and names_a_run(request):
        recipe = request.recipe
        values = replace(values, seq_len=values.seq_len or recipe.seq_len, batch=values.batch or recipe.micro_batch)
        values = replace(values, method=values.method or "full", nodes=values.nodes or request.hardware.nodes)
    judgement = _judge(request, intent, values)
    codes = frozenset(because.code for because in judgement.because)
    missing = conflict_gaps(conflicts)
    missing += _run_gaps(request) if intent == "run" else []
    missing += gaps(intent, judgement.verdict, values, signals, codes)
    language = request.language or reading.language
    return Need(
        intent=intent,
        verdict=judgement.verdict,
        language=language,
        reasons=tuple(reason(because, language) for because in judgement.because),
        extracted=_extracted(values),
        missing=tuple(missing_input(gap, language) for gap in missing),
        instead=instead(judgement, language),
    )
