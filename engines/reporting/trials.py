"""Trials in a report: measured beside predicted, as a table, as lines of a chat, and as a picture.

matplotlib is imported when the picture is drawn, not before.
"""

import io

from contracts.request import Language
from contracts.trials import Trial, TrialResult, Trials
from engines.reporting.markdown import code, plain, table
from engines.reporting.phrases import phrase
from engines.reporting.story import Story

COLUMNS = (
    "trial",
    "measured_speed",
    "predicted_speed",
    "ratio",
    "step_time",
    "measured_peak",
    "predicted_peak",
    "ratio",
)
"""Headings, by their phrases; the first ratio is of speeds, the second of peaks."""

_NO_FIGURES = {"failed": "trial_failed", "not_run": "trial_not_run"}
_SIZE_INCHES = (7.0, 3.4)
_DOTS_PER_INCH = 120


def trial_cells(trial: Trial, result: TrialResult, language: Language = "en") -> tuple[str, ...]:
    """Return the cells of one trial, in the order of `COLUMNS`; "-" where nothing is known."""

    def number(value: float | None, digits: int) -> str:
        return "-" if value is None else phrase("number", language, n=value, digits=digits)

    peak_of = "" if result.peak_of != "rss" else " (rss)"
    if result.status != "measured":
        status = phrase(_NO_FIGURES[result.status], language)
        return (trial.label, status, number(trial.predicted_tokens_per_s_per_gpu, 0), "-", "-", "-",
                number(trial.predicted_reserved_gib, 2), "-")  # fmt: skip
    return (
        trial.label,
        number(result.tokens_per_s_per_gpu, 0),
        number(trial.predicted_tokens_per_s_per_gpu, 0),
        number(result.speed_ratio, 2),
        number(result.step_s, 3),
        number(result.peak_gib, 2) + peak_of,
        number(trial.predicted_reserved_gib, 2),
        number(result.memory_ratio, 2),
    )


def section(story: Story, picture: str | None = None) -> list[str]:
    """What was tried, measured beside predicted, and why the winner won."""
    tried = story.trials
    if tried is None:
        return []
    headings = [phrase(name, story.language) for name in COLUMNS]
    if not tried.results:
        return [f"- {code(trial.label)}: {plain(settings_of(trial))}" for trial in tried.trials]
    pairs = list(zip(tried.trials, tried.results, strict=True))
    lines = [table(headings, [tuple(map(plain, trial_cells(*pair, story.language))) for pair in pairs]), ""]
    lines += [f"- {code(trial.label)}: {plain(settings_of(trial))}" for trial in tried.trials]
    lines += [f"- {code(result.label)}: {plain(result.reason)}" for result in tried.results if result.reason]
    lines += ["", f"**{phrase('winner', story.language)}:** {plain(tried.because)}"]
    lines += [f"- {plain(said)}" for said in tried.kept]
    if any(result.peak_of == "rss" for result in tried.results):
        lines += ["", phrase("rss_note", story.language)]
    return [*lines, "", f"![trials]({picture})"] if picture else lines


def trial_lines(tried: Trials, language: Language) -> list[str]:
    """Return the gist for a chat or a terminal."""
    if not tried.results:
        return []
    done = sum(result.status == "measured" for result in tried.results)
    lines = [phrase("trials_done", language, done=done, all=len(tried.results))]
    lines += [f"- {result.label}: {result.reason}" for result in tried.results if result.reason]
    return [*lines, f"{phrase('winner', language)}: {tried.because}" if tried.winner else tried.because, *tried.kept]


def settings_of(trial: Trial) -> str:
    """Return the settings of a trial in which configurations differ, in one line."""
    names = (
        "micro_batch",
        "seq_len",
        "activation_checkpointing",
        "reshard_after_forward",
        "cpu_offload",
        "dp_replicate",
    )
    return ", ".join(f"{name}={getattr(trial.recipe, name)}" for name in names)


def draw_trials(tried: Trials, language: Language = "en") -> bytes | None:
    """Draw measured and predicted speed side by side as a PNG; None where nothing was measured."""
    pairs = [pair for pair in zip(tried.trials, tried.results, strict=False) if pair[1].tokens_per_s_per_gpu]
    if not pairs:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    places = list(range(len(pairs)))
    measured = [result.tokens_per_s_per_gpu or 0.0 for _, result in pairs]
    predicted = [trial.predicted_tokens_per_s_per_gpu for trial, _ in pairs]
    beside = any(value is not None for value in predicted)
    width = 0.38 if beside else 0.6
    axes.bar(
        [place - (width / 2 if beside else 0) for place in places],
        measured,
        width,
        label=phrase("trial_measured", language),
    )
    if beside:
        axes.bar(
            [place + width / 2 for place in places],
            [value or 0.0 for value in predicted],
            width,
            label=phrase("predicted_speed", language),
        )
    axes.set_xticks(places, [trial.label for trial, _ in pairs], fontsize=8)
    axes.set_ylabel(phrase("measured_speed", language))
    winner = tried.winner or phrase("nobody_won", language)
    axes.set_title(phrase("trials_title", language, winner=winner), fontsize=10, parse_math=False)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3, axis="y")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
