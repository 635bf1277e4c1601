"""Sentences of a study's conclusion, in English and Danish; `texts.text` fills them in."""

from contracts.wording import Sentences

TOLD: Sentences = {
    "at": (" at {condition}", " ved {condition}"),
    # what fits
    "alone_fits": (
        "{name}{at}: of what is weighed it alone fits, with {peak} of {room} GiB on each GPU; {others}.",
        "{name}{at}: af det, der overvejes, kan kun det være der, med {peak} af {room} GiB på hver GPU; {others}.",
    ),
    "would_take": ("{name} would take {peak} GiB", "{name} ville fylde {peak} GiB"),
    "may_take": (
        "{name} takes {peak} GiB, too close to the limit to tell",
        "{name} fylder {peak} GiB, for tæt på grænsen til at afgøre det",
    ),
    "all_fit": (
        "All of it fits{at}: {peaks} of {room} GiB.",
        "Det kan alt sammen være der{at}: {peaks} af {room} GiB.",
    ),
    "one_fits": ("{name} fits{at}: {peak} of {room} GiB.", "{name} kan være der{at}: {peak} af {room} GiB."),
    "one_fails": (
        "{name} does not fit{at}: {peak} of {room} GiB.",
        "{name} kan ikke være der{at}: {peak} af {room} GiB.",
    ),
    "some_fit": (
        "Of {room} GiB on each GPU{at}, {fitting}; not so {failing}.",
        "Af {room} GiB på hver GPU{at}: {fitting} kan være der; det kan {failing} ikke.",
    ),
    "takes": ("{name} takes {peak}", "{name} fylder {peak}"),
    "fits_with": ("{name} fits with {peak}", "{name} med {peak}"),
    "fails_with": ("{name} with {peak}", "{name} med {peak}"),
    "none_fits": (
        "Nothing of what is weighed fits{at}: {peaks}, where a GPU has {room} GiB.",
        "Intet af det, der overvejes, kan være der{at}: {peaks}, hvor en GPU har {room} GiB.",
    ),
    "none_sure": (
        "Not all of it fits{at}: {peaks}, where a GPU has {room} GiB.",
        "Ikke alt kan være der{at}: {peaks}, hvor en GPU har {room} GiB.",
    ),
    "speed_alone": (
        "By speed alone, whether it fits or not{at}: {speeds} tokens/s in all; {verdict}.",
        "På hastighed alene, om det kan være der eller ej{at}: {speeds} tokens/s i alt; {verdict}.",
    ),
    "speed_leads": (
        "{name} leads by {pct} %, and the stated error is ± {error} %, so this difference counts",
        "{name} fører med {pct} %, og den angivne fejl er ± {error} %, så forskellen tæller",
    ),
    "speed_tied": (
        "the first two lie within {pct} %, and the stated error is ± {error} %: they cannot be told apart",
        "de to første ligger inden for {pct} %, og den angivne fejl er ± {error} %: de kan ikke skelnes",
    ),
    "close": (
        "Whether {name} fits{at} cannot be told: {peak} GiB with an error of ± {error} % has the limit of {room} GiB "
        "within it.",
        "Om {name} kan være der{at}, kan ikke afgøres: {peak} GiB med en fejl på ± {error} % har grænsen på {room} GiB "
        "inden for sig.",
    ),
    "no_limit": (
        "Peak of a rank{at}: {peaks} GiB (± {error} %); what the device has is not known.",
        "Spidsforbrug pr. rank{at}: {peaks} GiB (± {error} %); hvad enheden har, kendes ikke.",
    ),
    "remedy": (
        "What does fit{at}: {settings}. Predicted are {peak} GiB (± {error} %){speed}.",
        "Det, der kan være der{at}: {settings}. Forventet er {peak} GiB (± {error} %){speed}.",
    ),
    "remedy_speed": (" and {speed} tokens/s per GPU (± {error} %)", " og {speed} tokens/s pr. GPU (± {error} %)"),
    "no_remedy": (
        "No setting that this model of memory knows fits{at} on these GPUs: it takes more of them, or larger ones.",
        "Ingen indstilling, som hukommelsesmodellen kender, kan være der{at} på disse GPU'er: der skal flere eller "
        "større.",
    ),
    # speed
    "fastest": (
        "{name} is the fastest{at}: {speed} tokens/s per {unit}, {pct} % more than {other} with {slower}; the stated "
        "error is ± {error} %, so this difference counts.",
        "{name} er hurtigst{at}: {speed} tokens/s pr. {unit}, {pct} % mere end {other} med {slower}; den angivne fejl "
        "er ± {error} %, så forskellen tæller.",
    ),
    "same": (
        "By speed it makes no difference{at}: {names} each come to {speed} tokens/s per {unit} (± {error} %).",
        "På hastighed gør det ingen forskel{at}: {names} når hver {speed} tokens/s pr. {unit} (± {error} %).",
    ),
    "same_leaner": (
        "What parts them is memory: {lean} leaves {less} GiB more of each GPU free than {other}.",
        "Det, der skiller dem, er hukommelsen: {lean} lader {less} GiB mere være fri på hver GPU end {other}.",
    ),
    "untold": (
        "By speed {names} cannot be told apart{at}: {speeds} tokens/s per {unit} lie within {pct} %, and the stated "
        "error is ± {error} %.",
        "På hastighed kan {names} ikke skelnes{at}: {speeds} tokens/s pr. {unit} ligger inden for {pct} %, og den "
        "angivne fejl er ± {error} %.",
    ),
    "behind": (
        "{name} is {pct} % slower than {other}{at} ({speed} against {faster} tokens/s per {unit}, ± {error} %).",
        "{name} er {pct} % langsommere end {other}{at} ({speed} mod {faster} tokens/s pr. {unit}, ± {error} %).",
    ),
    "leans": (
        "On paper {fast} leads, by {pct} % at most; only a measurement makes more of it than that.",
        "På papiret fører {fast}, med højst {pct} %; kun en måling kan gøre det til mere.",
    ),
    "measured_alike": (
        "What was measured does not part them: longer trials on a machine that does nothing else would; until then "
        "nothing speaks for leaving {plain}.",
        "Det målte skiller dem ikke ad: det ville længere forsøg på en maskine, der ikke laver andet; indtil da "
        "taler intet for at forlade {plain}.",
    ),
    "leans_both": (
        "On paper {fast} leads, by {pct} % at most, and it takes the least memory: nothing speaks against it.",
        "På papiret fører {fast}, med højst {pct} %, og det fylder mindst: intet taler imod.",
    ),
    "leans_apart": (
        "On paper {fast} leads by {pct} %, and {lean} leaves {less} GiB more of each GPU free, which is certain.",
        "På papiret fører {fast} med {pct} %, og {lean} lader {less} GiB mere være fri på hver GPU; det er sikkert.",
    ),
    "in_all": (
        "In all{at}: {totals} tokens/s. For each GPU and hour that is {shares}.",
        "I alt{at}: {totals} tokens/s. Pr. GPU og time er det {shares}.",
    ),
    "total": ("{name} {speed}", "{name} {speed}"),
    "share": ("{pct} % with {name}", "{pct} % med {name}"),
    "trade": (
        "It depends on what counts{at}: {fast} ends first, {cheap} takes the fewest GPU hours.",
        "Det afhænger af, hvad der tæller{at}: {fast} er først færdig, {cheap} tager færrest GPU-timer.",
    ),
    "fewest": (
        "{name} are the fewest that fit{at}: {peak} of {room} GiB; {others}.",
        "{name} er det mindste antal, der kan være på{at}: {peak} af {room} GiB; {others}.",
    ),
    "no_fewer": ("fewer were not asked about", "færre er der ikke spurgt om"),
    "first_alone": (
        "{name}{at}: it ends first; the GPU hours of {others} cannot be told apart from its own (± {error} %).",
        "{name}{at}: det er først færdigt; GPU-timerne for {others} kan ikke skelnes fra dets egne (± {error} %).",
    ),
    "both_tied": (
        "{name}{at}: in all as fast as {others} within the error of ± {error} %, and with the fewest GPU hours.",
        "{name}{at}: i alt lige så hurtigt som {others} inden for fejlen på ± {error} %, og med færrest GPU-timer.",
    ),
    "both": (
        "{name}{at}: it ends first and takes the fewest GPU hours of what fits.",
        "{name}{at}: det er først færdigt og tager færrest GPU-timer af det, der kan være der.",
    ),
    "budget": (
        "{tokens} tokens{at} take {options} (± {error} %).",
        "{tokens} tokens{at} tager {options} (± {error} %).",
    ),
    "budget_one": (
        "{hours} hours with {name}, which is {gpu} GPU hours",
        "{hours} timer med {name}, det er {gpu} GPU-timer",
    ),
    "budget_cost": (" or {cost} {currency}", " eller {cost} {currency}"),
    "no_speed": (
        "Speed is not predicted for CPU ranks or a GPU that is not known: only a trial tells which is faster{at}.",
        "Hastighed forudsiges ikke for CPU-ranks eller en ukendt GPU: kun et forsøg viser, hvad der er hurtigst{at}.",
    ),
    "measured": (
        "Measured{at}: {speeds} tokens/s per rank, median of the steps of each trial.",
        "Målt{at}: {speeds} tokens/s pr. rank, medianen af hvert forsøgs trin.",
    ),
    "measured_one": ("{name} {speed} (± {error} %)", "{name} {speed} (± {error} %)"),
    # why
    "links": (
        "Why: in a step{at} {volumes} leave each machine. Of the {step} s of {name} only {exposed} s ({pct} %) wait "
        "for links, for the rest is hidden behind computing; no other sharding wins more than that.",
        "Hvorfor: i et trin{at} forlader {volumes} hver maskine. Af de {step} s for {name} venter kun {exposed} s "
        "({pct} %) på forbindelserne, resten er skjult bag beregning; ingen anden sharding vinder mere end det.",
    ),
    "links_network": (
        "Why: in a step{at} {volumes} leave each machine, and the GPU waits for links {shares}.",
        "Hvorfor: i et trin{at} forlader {volumes} hver maskine, og GPU'en venter på forbindelser {shares}.",
    ),
    "links_bound": (
        "Why: in a step{at} {volumes} leave each machine. Of the {step} s of {name}, {exposed} s ({pct} %) wait for "
        "the links.",
        "Hvorfor: i et trin{at} forlader {volumes} hver maskine. Af de {step} s for {name} venter {exposed} s "
        "({pct} %) på forbindelserne.",
    ),
    "volume": ("{gb} GB with {name}", "{gb} GB med {name}"),
    "waits": (
        "What the GPU waits for links in a step{at}: {shares}.",
        "Hvad GPU'en venter på forbindelser i et trin{at}: {shares}.",
    ),
    "waits_offload": (
        "What the GPU waits for links, copies and the optimizer on the CPU in a step{at}: {shares}.",
        "Hvad GPU'en venter på forbindelser, kopier og optimizeren på CPU'en i et trin{at}: {shares}.",
    ),
    "wait": ("{exposed} of {step} s with {name}", "{exposed} af {step} s med {name}"),
    "host": (
        "Offloading takes host memory{at}: {sizes} GiB of each machine.",
        "Offload tager hukommelse på værten{at}: {sizes} GiB af hver maskine.",
    ),
    "states": (
        "Weights, gradients and optimizer state by hand{at}: {sums}.",
        "Vægte, gradienter og optimizer-tilstand med håndregning{at}: {sums}.",
    ),
    "changes": (
        "{condition} instead of {base} changes for {name}: the peak {peak} instead of {before} GiB, of it activations "
        "and temporaries {activations} instead of {less} GiB{speed}.",
        "{condition} i stedet for {base} ændrer for {name}: spidsforbruget {peak} i stedet for {before} GiB, heraf "
        "aktiveringer og midlertidige {activations} i stedet for {less} GiB{speed}.",
    ),
    "changes_speed": (
        "; {speed} instead of {faster} tokens/s per GPU; attention takes {pct} instead of {share} % of the step",
        "; {speed} i stedet for {faster} tokens/s pr. GPU; attention tager {pct} i stedet for {share} % af trinnet",
    ),
    "changes_speed_only": (
        "; {speed} instead of {faster} tokens/s per GPU",
        "; {speed} i stedet for {faster} tokens/s pr. GPU",
    ),
}
"""By name: English, Danish."""
