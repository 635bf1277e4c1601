"""The sections of a report on what was asked, judged and planned."""

from contracts.plan import Plan
from contracts.request import Language
from engines.reporting.markdown import block, code, plain, table
from engines.reporting.phrases import phrase
from engines.reporting.story import Story

_ASKED_CHARACTERS = 4000
"""Of a text that was asked, shown at most."""


def asked(story: Story) -> list[str]:
    """What was asked: the text, and the keys that were given."""
    request = story.request
    if request is None:
        return []
    lines = [f"> {plain(line)}" for line in request.text[:_ASKED_CHARACTERS].splitlines() if line.strip()]
    if len(request.text) > _ASKED_CHARACTERS:
        cut = {"shown": _ASKED_CHARACTERS, "count": len(request.text)}
        lines += [">", f"> {phrase('asked_in_part', story.language, **cut)}"]
    given = request.model_dump(mode="json", exclude_unset=True, exclude={"text"})
    rows = [(code(key), code(_short(value))) for key, value in _leaves(given)]
    return [
        *lines,
        *([""] if lines else []),
        table((phrase("choice", story.language), phrase("value", story.language)), rows),
    ]


def need(story: Story) -> list[str]:
    """The verdict with its arithmetic, what was assumed, and what to do instead."""
    found = story.need
    if found is None:
        return []
    lines = [f"**{phrase('verdict', story.language)}: {code(found.verdict)}**", ""]
    lines += [f"- {plain(reason.text)} ({code(reason.code)}{_cards(reason.cards)})" for reason in found.reasons]
    for gap in found.missing:
        assumed = f" ({phrase('assumed', story.language)}: {plain(gap.assumed)})" if gap.assumed is not None else ""
        lines.append(f"- {plain(gap.question)}{assumed}")
    if found.notice:
        lines.append(f"- {plain(found.notice)}")
    if found.instead:
        lines += ["", f"{phrase('instead', story.language)}: {plain(found.instead)}"]
    return lines


def plan(story: Story) -> list[str]:
    """The plan's verdict, its decisions and what it rests on."""
    made = story.plan
    if made is None:
        return []
    fits = {True: "fits_yes", False: "fits_no", None: "fits_unknown"}[made.fits]
    verdict = phrase("script_not_judged", story.language) if not_judged(made) else code(made.verdict)
    lines = [f"**{verdict}** {ready_sentence(story)} {phrase(fits, story.language)}"]
    if made.throughput is not None:
        speed = made.throughput
        lines.append(
            "- "
            + phrase(
                "plan_speed",
                story.language,
                speed=speed.tokens_per_s_per_gpu,
                mfu=speed.mfu_pct,
                error=speed.error_pct,
                bound=plain(speed.bound_by),
            )
        )
    if made.bill is not None:
        lines.append(f"- {plain(made.bill.arithmetic)}")
    for title, texts in (
        ("alternatives", made.alternatives),
        ("assumptions", made.assumptions),
        ("warnings", made.warnings),
    ):
        if texts:
            lines += ["", phrase(title, story.language), "", *(f"- {plain(text)}" for text in texts)]
    return lines


def memory(story: Story, picture: str | None = None) -> list[str]:
    """The predicted peak by component, and how it was computed."""
    if story.plan is None or story.plan.memory is None:
        return []
    cost = story.plan.memory
    language, parts = story.language, dict(cost.breakdown_gib)
    parts |= {"active": cost.active_gib, "reserved": cost.reserved_gib}
    if cost.capacity_gib is not None and cost.margin_gib is not None:
        parts |= {"capacity": cost.capacity_gib, "margin": cost.margin_gib}
    rows = [(plain(name), phrase("gib", language, gib=gib)) for name, gib in parts.items()]
    lines = [
        peak_sentence(story.plan, story.language),
        "",
        table((phrase("component", story.language), phrase("size", story.language)), rows),
    ]
    if picture:
        lines += ["", f"![memory]({picture})"]
    if cost.formula:
        lines += ["", phrase("arithmetic", story.language), "", block(cost.formula)]
    notes = [*(text for text in cost.assumptions if text not in story.plan.assumptions), *cost.unsupported]
    return [*lines, "", *(f"- {plain(note)}" for note in notes)] if notes else lines


def ready_sentence(story: Story) -> str:
    """What is ready, or would be but for an error of the review; the steps of a user's own script are not known."""
    made = story.plan
    assert made is not None
    blocked = any(found.severity == "error" for found in story.findings)
    own = made.launch is not None and made.launch.kind == "script"
    ready, stopped = ("script_ready", "script_blocked") if own else ("plan_ready", "plan_blocked")
    return phrase(stopped if blocked else ready, story.language, ranks=made.world_size, steps=made.recipe.steps)


def not_judged(made: Plan) -> bool:
    """Whether nothing was weighed: a script of the user's own runs as it is, and its model is not named."""
    return made.launch is not None and made.launch.kind == "script" and made.memory is None


def peak_sentence(made: Plan, language: Language) -> str:
    """The predicted peak with its error, in one sentence."""
    cost = made.memory
    if cost is None:
        return phrase("peak_unknown", language)
    return phrase("peak", language, reserved=cost.reserved_gib, error=cost.error_pct, phase=cost.peak_phase)


def decisions(story: Story) -> list[str]:
    """Every choice of the plan with its reason."""
    if story.plan is None or not story.plan.decisions:
        return []
    rows = [(code(made.choice), plain(made.because), ", ".join(map(code, made.cards))) for made in story.plan.decisions]
    words = ("choice", "because", "cards")
    return [table([phrase(word, story.language) for word in words], rows)]


def findings(story: Story) -> list[str]:
    """What the review found, each with its place and its fix."""
    if story.plan is None and not story.findings:
        return []
    if not story.findings:
        return [phrase("no_findings", story.language)]
    lines = []
    for found in story.findings:
        lines.append(
            f"- **{found.severity}** {found.rule} {code(f'{found.file}:{found.line}')}: {plain(found.message)}"
        )
        if found.fix:
            lines.append(f"  - {phrase('fix', story.language)}: {plain(found.fix)}{_cards(found.cards)}")
    return lines


def _cards(slugs: tuple[str, ...]) -> str:
    return "".join(f", {code(slug)}" for slug in slugs)


def _leaves(value: dict[str, object], above: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for key, inner in value.items():
        if isinstance(inner, dict):
            found += _leaves(inner, f"{above}{key}.")
        else:
            found.append((f"{above}{key}", inner))
    return found


def _short(value: object, limit: int = 200) -> str:
    text = str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
