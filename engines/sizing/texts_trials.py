"""What is tried, what was measured, and what is kept of it, in English and Danish."""

from contracts.wording import Sentences

TRIALS: Sentences = {
    # what is tried
    "trials_fewer": (
        "{wanted} trials were asked for, {found} configurations of the built-in recipe are different",
        "der er bedt om {wanted} forsøg, {found} konfigurationer af den indbyggede opskrift er forskellige",
    ),
    "not_tried": ("not tried: {settings} ({why})", "ikke prøvet: {settings} ({why})"),
    "try_too_large": ("{peak:.1f} GiB predicted do not fit", "forventede {peak:.1f} GiB kan ikke være der"),
    "try_own_script": (
        "the built-in recipe does not have it: it takes a script of your own",
        "den indbyggede opskrift har det ikke: det kræver dit eget script",
    ),
    "try_other_ranks": ("it takes another number of ranks", "det kræver et andet antal ranks"),
    "nothing_to_try": (
        "nothing is tried: the plan's verdict is {verdict}",
        "intet prøves: planens vurdering er {verdict}",
    ),
    "nothing_to_try_hint": ("the plan names what would fit", "planen nævner, hvad der kan være der"),
    # which won
    "none_measured": ("none was measured: {reasons}", "ingen blev målt: {reasons}"),
    "won": (
        "{label}: {speed:,.0f} tokens/s per rank measured over {steps} steps",
        "{label}: {speed:,.0f} tokens/s pr. rank målt over {steps} trin",
    ),
    "won_peak": (", peak {peak:.2f} GiB ({kind})", ", spidsforbrug {peak:.2f} GiB ({kind})"),
    "counts_first": ("the largest {name} counts before speed", "den største {name} tæller før fart"),
    "as_fast": (
        "{label} is as fast within {within:.0%} ({speed:,.0f})",
        "{label} er lige så hurtig inden for {within:.0%} ({speed:,.0f})",
    ),
    "more_than": ("{share:.0%} more than {label} ({speed:,.0f})", "{share:.0%} mere end {label} ({speed:,.0f})"),
    "less_than": ("{share:.0%} less than {label} ({speed:,.0f})", "{share:.0%} mindre end {label} ({speed:,.0f})"),
    "no_other": ("no other was measured", "ingen anden blev målt"),
    "no_margin": (
        "no configuration kept the margin of {margin:g} %",
        "ingen konfiguration holdt marginen på {margin:g} %",
    ),
    # what is kept for later predictions
    "not_kept": ("{label} is not kept: {why}", "{label} gemmes ikke: {why}"),
    "resident": (
        "the resident set of CPU ranks says nothing of the memory of a GPU",
        "CPU-ranks' samlede hukommelse siger intet om hukommelsen på en GPU",
    ),
    "device_unknown": ("the GPU {device!r} is not known", "GPU'en {device!r} kendes ikke"),
    "torch_unknown": ("the version of torch is not known", "torch-versionen kendes ikke"),
    "kept_in": (
        "{count} measured peak(s) are kept in {path}; use them with --calibration stored",
        "{count} målte spidsforbrug er gemt i {path}; brug dem med --calibration stored",
    ),
    "unwritable": ("cannot write {path}: {why}", "kan ikke skrive {path}: {why}"),
    "trials_won": ("trials: {label}", "forsøg: {label}"),
}
"""By name: English, Danish."""
