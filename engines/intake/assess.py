"""The need gate: a Request becomes a Need, the same one every time."""

import re
from dataclasses import replace

from contracts.need import Extracted, Need
from contracts.request import Intent, Request
from engines.intake.facts import Conflict, Reading, Values
from engines.intake.intent import asks_of_another_world_size, intent_out_of_scope, intent_without_training, judge_intent
from engines.intake.judgement import Judgement
from engines.intake.missing import Gap, conflict_gaps, gaps
from engines.intake.routes import choose
from engines.intake.ruled import OUTSIDE, barred_routes, ruled_route
from engines.intake.scope import Counts, out_of_scope
from engines.intake.structured import merge, structured_values
from engines.intake.verdict import judge, judge_no_training, judge_outside
from engines.intake.verdict_run import judge_run, names_a_run
from engines.intake.wording import instead, missing_input, reason


def _read(text: str) -> Reading:
    """Read the text, where there is one: its patterns take longer to compile than all else."""
    if not text.strip():
        return Reading()
    from engines.intake.reading import read_text

    return read_text(text)


def _intent(request: Request, counts: Counts, values: Values) -> Intent:
    """The stated intent, or the one that the fields or the text tell."""
    if request.intent is not None:
        return request.intent
    if request.text.strip():
        return judge_intent(counts, values)
    if names_a_run(request):
        return "run" if request.data is not None else "review"
    return "diagnose" if request.paths else "plan"


def _judge_text(request: Request, counts: Counts, values: Values, reading: Reading) -> tuple[Intent, Judgement]:
    """A request in free text alone goes the way that its words tell."""
    ruled = ruled_route(counts, values)
    route = choose(reading, values, ruled, barred_routes(counts, values, ruled))
    if route == "no_training":
        return request.intent or intent_without_training(counts), judge_no_training(counts, values)
    if route == "inference" or route == "provider" or route == "automation":
        codes = out_of_scope(counts, values)
        if not codes or codes[0] not in OUTSIDE[route]:
            codes = OUTSIDE[route]
        about_models = route != "automation"
        return request.intent or intent_out_of_scope(counts, about_models), judge_outside(codes, counts)
    intent: Intent = request.intent or ("plan" if route == "no_hardware" else route)
    return intent, judge(intent, {**counts, "hardware_absent": int(route == "no_hardware")}, values)


def _judge(request: Request, counts: Counts, values: Values, reading: Reading) -> tuple[Intent, Judgement]:
    """Scope first: what is not ours is declined whatever was wanted."""
    has_text = bool(request.text.strip())
    structured = request.model is not None or request.script is not None or bool(request.paths)
    if has_text and not structured:
        return _judge_text(request, counts, values, reading)
    intent = _intent(request, counts, values)
    tried = intent == "plan" and request.trials > 0 and request.model is not None
    if tried or (intent == "run" and names_a_run(request)):
        return intent, judge_run(request, values)
    return intent, judge(intent, counts, values)


def _counts(request: Request, reading: Reading) -> dict[str, int]:
    """Signals of the text and of the structured fields."""
    shown = dict(reading.counts)
    if request.hardware.device == "cpu":
        shown["device_cpu"] = 1
    if request.torch:
        shown["torch_version"] = 1
    if request.paths or request.script or shown.get("log") or shown.get("code"):
        shown["material"] = 1
    return shown


def _run_gaps(request: Request) -> list[Gap]:
    """What a run of the built-in recipe cannot start without."""
    missing = []
    if request.model is None or request.model.path is None:
        missing.append(Gap("model", "model"))
    if request.data is None:
        missing.append(Gap("data", "data"))
    return missing


def _extracted(values: Values, judgement: Judgement) -> Extracted:
    if judgement.because[0].code == "agent_or_workflow_automation":
        # Nodes of a workflow and a room named GPU-3 are no machines.
        return Extracted()
    outside = judgement.because[0].code in ("provider_choice", "hosted_model_use")
    # "Gemini or Mistral?" names companies; a model has a size or a version.
    model = None if outside and values.params_b is None and not re.search(r"\d", values.model or "") else values.model
    return Extracted(
        model=model,
        params_b=values.params_b,
        gpus=values.gpus,
        nodes=values.nodes,
        gpu_type=values.gpu_type,
        gpu_mem_gb=values.gpu_mem_gb,
        seq_len=values.seq_len,
        batch=values.batch,
        method=values.method,
        optimizer=values.optimizer,
    )


def _settled(request: Request, judgement: Judgement, values: Values, counts: Counts) -> Values:
    """Take back what the words held but the request does not state."""
    if judgement.because[0].code == "no_training_planned" and values.params_b is None:
        # "No fine-tuning or pre-training" states no method.
        return replace(values, method=request.method)
    if judgement.instead == "hardware_first" and counts.get("count_open"):
        return replace(values, gpus=request.hardware.gpus)
    return values


def _missing(
    request: Request,
    intent: Intent,
    judgement: Judgement,
    values: Values,
    conflicts: tuple[Conflict, ...],
    counts: Counts,
) -> list[Gap]:
    """What has to be asked: contradictions first, then what a run and the arithmetic lack."""
    if judgement.verdict == "out_of_scope":
        return []
    # In a failure or a question the numbers vary by themselves: they are its subject.
    found = conflict_gaps(conflicts) if intent in ("plan", "run") else []
    asked = {gap.conflict for gap in found}
    if intent == "run":
        if request.script is not None:
            # The script brings its own model, data and settings.
            return found
        found += _run_gaps(request)
    signals = frozenset(name for name, number in counts.items() if number)
    codes = frozenset(because.code for because in judgement.because)
    return found + [gap for gap in gaps(intent, judgement.verdict, values, signals, codes) if gap.code not in asked]


def assess_request(request: Request, model_params: int | None = None) -> Need:
    """Judge whether a request is a case for FSDP, and what it lacks.

    Args:
        request: Structured fields, free text, or both; the structured fields win.
        model_params: Parameters counted in the model folder, where it was read.

    Returns:
        The verdict with reasons, values, missing inputs and what to do instead, in the
        language of the request.
    """
    reading = _read(request.text)
    values, conflicts = merge(structured_values(request, model_params), reading)
    counts = _counts(request, reading)
    if names_a_run(request) and request.script is None:
        recipe = request.recipe
        values = replace(values, seq_len=values.seq_len or recipe.seq_len, batch=values.batch or recipe.micro_batch)
        values = replace(values, method=values.method or "full", nodes=values.nodes or request.hardware.nodes)
    intent, judgement = _judge(request, counts, values, reading)
    counted = any(conflict.key == "gpus" for conflict in reading.conflicts)
    if intent == "ask" and (counted or asks_of_another_world_size(counts)):
        values = replace(values, gpus=None)
    values = _settled(request, judgement, values, counts)
    missing = _missing(request, intent, judgement, values, conflicts, counts)
    language = request.language or reading.language
    return Need(
        intent=intent,
        verdict=judgement.verdict,
        language=language,
        reasons=tuple(reason(because, language) for because in judgement.because),
        extracted=_extracted(values, judgement),
        missing=tuple(missing_input(gap, language) for gap in missing),
        instead=instead(judgement, language),
    )
