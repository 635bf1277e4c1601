"""Questions that are answered on the spot: assess, plan, estimate, review, ask.

The operations on runs are in `service_jobs.py`, those that drive the graph in
`service_threads.py`. Nothing here imports LangGraph.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import CannotBeKnown, FileUnreadable, InputError, RequestInvalid
from contracts.regular import open_regular

if TYPE_CHECKING:  # each operation pays for its own contracts alone
    from contracts.answer import Answer
    from contracts.finding import ReviewResult
    from contracts.need import Need
    from contracts.plan import Plan
    from contracts.request import Request
    from engines.sizing.shape import ModelShape
    from interfaces.results_plan import PlanAnswer
    from interfaces.results_sizing import Estimate

_MAX_ROWS_BYTES = 64 << 20


def read_request_file(path: Path) -> "Request":
    """Return the request of a file, its paths made absolute.

    Raises:
        FileUnreadable: The file cannot be read.
        RequestInvalid: Its content is no request.
    """
    from engines.intake.request_file import read_request

    return read_request(path)


def make_request(fields: dict[str, Any]) -> "Request":
    """Return a request made of plain data, such as options of a command line.

    Raises:
        RequestInvalid: An unknown key, a wrong type, a value out of range.
    """
    from engines.intake.request_file import parse_request

    return parse_request(fields, base=Path.cwd())


def assess(request: "Request") -> "Need":
    """Return whether the request is a case for FSDP, and why.

    Raises:
        InputError: The model folder that it names cannot be read.
    """
    import os

    from engines.intake.assess import assess_request

    need = assess_request(request, _known_params(request))
    if not os.environ.get("FSDP_AGENT_MODEL"):
        return need  # the way without a model imports none of its packages
    from nodes.second_reading import compare_if_configured

    return compare_if_configured(request, need)


def plan(request: "Request", write_to: Path | None = None) -> "PlanAnswer":
    """Return a configuration with its reasons; nothing can be launched. See `plan_of`."""
    from interfaces.results_plan import PlanAnswer

    return PlanAnswer.of(plan_of(request, write_to)[0])


def plan_of(request: "Request", write_to: Path | None = None) -> "tuple[Plan, Request, ModelShape]":
    """Return a plan, the request as it was completed from its text, and the model.

    Args:
        request: What is asked.
        write_to: Folder for the plan in the words of each framework; None: nothing is written.

    Raises:
        CannotBeKnown: The model, the GPU or the number of ranks is missing.
        InputError: The model cannot be read, settings contradict each other, or the folder
            cannot be written.
    """
    from engines.intake.completed import complete_request
    from engines.sizing.choose import choose_plan
    from engines.sizing.hf_config import shape_of
    from engines.sizing.texts import say

    need = assess(request)
    whole = complete_request(request, need)
    model = whole.model and (whole.model.path or whole.model.name)
    if not model:
        language = need.language
        hint = say("model_missing_hint", language)
        raise CannotBeKnown(say("model_missing", language), code="model_missing", hint=hint)
    shape = shape_of(model)
    made = choose_plan(whole, need, shape)
    if write_to is not None:
        made = _written(made, whole, write_to)
    return made, whole, shape


def _written(made: "Plan", request: "Request", folder: Path) -> "Plan":
    """Write a plan's artefacts and return it with their paths; a file that is there already is kept.

    Of a plan that does not fit nothing is written. What the files do not say of the plan is a warning.

    Raises:
        InputError: The folder cannot be written, or holds a file of one of the names.
    """
    from engines.artefacts.job import job_of
    from engines.artefacts.wording import say
    from engines.artefacts.write import artefacts, shortcomings

    language = request.language or "en"
    if made.fits is False:
        said = say("nothing_fits", language, folder=folder)
        return made.model_copy(update={"warnings": (*made.warnings, said)})
    job = job_of(made, request)
    texts = artefacts(job)
    paths = [(folder / name).absolute() for name in texts]
    taken = [path.name for path in paths if path.exists()]
    if taken:
        raise InputError(f"{folder} holds {', '.join(taken)} already", hint="name another folder, or take them away")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from None
    written = tuple(str(path) for path in paths)
    return made.model_copy(update={"artifacts": written, "warnings": (*made.warnings, *shortcomings(job, language))})


def review(paths: tuple[str, ...], torch: str | None) -> "ReviewResult":
    """Return the mistakes in code, configurations and launch scripts; nothing of it is run.

    Args:
        paths: Files and folders.
        torch: Version of torch that the code is meant for; the newest known where None.

    Raises:
        FileUnreadable: A path does not exist.
    """
    from engines.review.engine import review_paths

    return review_paths(paths, torch)


def ask(question: str, torch: str | None) -> "Answer":
    """Return an answer made of cited claims, or "not covered".

    Args:
        question: What is asked, in English or Danish.
        torch: Version of torch that the answer is to speak of; the newest known where None.
    """
    import os

    from engines.answers.ask import answer_question

    answer = answer_question(question, torch)
    if not os.environ.get("FSDP_AGENT_MODEL"):
        return answer  # the way without a model imports none of its packages
    from nodes.language_model import word_if_configured

    return word_if_configured(question, answer)


def estimate(model: str, gpu: str | None, settings: dict[str, Any]) -> "Estimate":
    """Predict the peak memory of one rank; see `service_sizing.estimate`, which can do more."""
    from interfaces.service_sizing import estimate as predict

    return predict(model, gpu, settings)


def estimate_runs(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a prediction for each recorded run of a JSON Lines file, and a summary at the end.

    The whole file is read before the first prediction, so that a broken line leaves
    nothing half done. A run that cannot be predicted has its reason in `unsupported`.

    Raises:
        FileUnreadable: The file cannot be read.
        RequestInvalid: The file is too large, or a line is no JSON object.
    """
    from engines.sizing.rows import estimate_row, failed_row, summarize

    rows = list(_json_lines(path))
    results = []
    for row in rows:
        try:
            results.append(estimate_row(row))
        except InputError as problem:
            results.append(failed_row(row, problem))
        yield results[-1]
    yield summarize(results)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with open_regular(path) as stream:
            content = stream.read(_MAX_ROWS_BYTES + 1)
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror}") from None
    if len(content) > _MAX_ROWS_BYTES:
        raise RequestInvalid(f"{path} is larger than {_MAX_ROWS_BYTES >> 20} MiB")
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RequestInvalid(f"{path}, line {number} is no JSON: {error}") from None
        if not isinstance(row, dict):
            raise RequestInvalid(f"{path}, line {number} holds a {type(row).__name__}; a run is a JSON object")
        yield row


def _known_params(request: "Request") -> int | None:
    """Return the parameters of the model folder that the request names, so that nothing is guessed."""
    if request.model is None or request.model.path is None:
        return None
    from engines.sizing.hf_config import shape_of

    return shape_of(request.model.path).params
