"""Every sentence of a study, in English and Danish; `conclude` fills them in."""

from contracts.request import Language

_TEXTS: dict[str, tuple[str, str]] = {
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
        "By speed it makes no difference{at}: {names} both come to {speed} tokens/s per {unit} (± {error} %).",
        "På hastighed gør det ingen forskel{at}: {names} når begge {speed} tokens/s pr. {unit} (± {error} %).",
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
    "both_tied": (
        "{name}{at}: in all as fast as {others} within the error of ± {error} %, and with the fewest GPU hours.",
        "{name}{at}: i alt lige så hurtigt som {others} inden for fejlen på ± {error} %, og med færrest GPU-timer.",
    ),
    "both": (
        "{name}{at}: it ends first and takes the fewest GPU hours of what fits.",
        "{name}{at}: det er først færdigt og tager færrest GPU-timer af det, der kan være der.",
    ),
    "take": ("{name}{at}.", "{name}{at}."),
    "no_speed": (
        "Speed is not predicted for CPU ranks or a GPU that is not known: only a trial tells which is faster{at}.",
        "Hastighed forudsiges ikke for CPU-ranks eller en ukendt GPU: kun en prøvekørsel viser, hvad der er "
        "hurtigst{at}.",
    ),
    "measured": (
        "Measured{at}: {speeds} tokens/s per rank, median of the steps of each trial.",
        "Målt{at}: {speeds} tokens/s pr. rank, medianen af hver prøvekørsels trin.",
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
    # how it was done
    "method_options": ("Options: {options}.", "Muligheder: {options}."),
    "method_conditions": ("Conditions: {conditions}.", "Betingelser: {conditions}."),
    "method_counts": (
        "{claims} claims were looked up in the cards and {estimates} configurations estimated.",
        "{claims} udsagn blev slået op i kortene, og {estimates} konfigurationer blev beregnet.",
    ),
    "method_dryrun_answered": (
        "{count} dry runs with the real fully_shard.",
        "{count} dry runs med det rigtige fully_shard.",
    ),
    "method_dryrun_waiting": ("Dry runs that wait: {count}.", "Dry runs, der venter: {count}."),
    "method_dryrun_skipped": ("Dry runs that were skipped: {count}.", "Dry runs, der blev sprunget over: {count}."),
    "method_dryrun_failed": ("Dry runs that failed: {count}.", "Dry runs, der fejlede: {count}."),
    "method_trial_answered": (
        "Trials that ran after a person had approved them: {count}.",
        "Prøvekørsler, der kørte, efter at et menneske havde godkendt dem: {count}.",
    ),
    "method_trial_waiting": (
        "Trials that wait for a person's approval: {count}.",
        "Prøvekørsler, der venter på et menneskes godkendelse: {count}.",
    ),
    "method_trial_skipped": ("Trials that were not run: {count}.", "Prøvekørsler, der ikke blev kørt: {count}."),
    "method_trial_failed": ("Trials that failed: {count}.", "Prøvekørsler, der fejlede: {count}."),
    "asks_estimate": (
        "What does {name}{at} take, and how fast is it?",
        "Hvad fylder {name}{at}, og hvor hurtigt er det?",
    ),
    "asks_dryrun": (
        "What peak does the real fully_shard reach for {name}{at}?",
        "Hvilket spidsforbrug når det rigtige fully_shard for {name}{at}?",
    ),
    "asks_trial": ("How fast is {name}{at} on this machine?", "Hvor hurtigt er {name}{at} på denne maskine?"),
    "dry_other_interpreter": (
        "another interpreter ({interpreter}) takes a person's approval; `fsdp-agent estimate --dry-run` asks",
        "en anden fortolker ({interpreter}) kræver et menneskes godkendelse; `fsdp-agent estimate --dry-run` spørger",
    ),
    "dry_no_torch": (
        "no torch and transformers in this interpreter",
        "der er ikke torch og transformers i denne fortolker",
    ),
    "dry_no_config": (
        "the model's config.json is not at hand",
        "modellens config.json er ikke ved hånden",
    ),
    "trials_no_model": (
        "Trials: skipped, for there is no model folder to run (--model FOLDER).",
        "Prøvekørsler: sprunget over, for der er ingen modelmappe at køre (--model MAPPE).",
    ),
    "trials_not_asked": (
        'Trials: not asked for; "measure it on this machine" in the question puts them forward for approval.',
        'Prøvekørsler: der er ikke bedt om nogen; "mål det på denne maskine" i spørgsmålet forelægger dem til '
        "godkendelse.",
    ),
    "trials_not_expressed": (
        "Trials: skipped, for the built-in recipe has fewer than two of the options that fit.",
        "Prøvekørsler: sprunget over, for den indbyggede opskrift har færre end to af de muligheder, der kan være der.",
    ),
    "trials_wait": ("waits for a person's approval", "venter på et menneskes godkendelse"),
    "trials_rejected": ("a person rejected them", "et menneske afviste dem"),
    "trial_result": (
        "{speed} tokens/s per rank ± {spread} %, median of {steps} steps",
        "{speed} tokens/s pr. rank ± {spread} %, median af {steps} trin",
    ),
    "subject": (
        "{model} ({params} billion parameters), {ranks} x {gpu} in {nodes} machines{network}",
        "{model} ({params} mia. parametre), {ranks} x {gpu} i {nodes} maskiner{network}",
    ),
    "subject_sizes": (
        "{model} ({params} billion parameters) on {gpu}",
        "{model} ({params} mia. parametre) på {gpu}",
    ),
    "subject_one": (
        "{model} ({params} billion parameters), {ranks} x {gpu} in one machine",
        "{model} ({params} mia. parametre), {ranks} x {gpu} i én maskine",
    ),
    "subject_cpu": (
        "{model} ({params} billion parameters), {ranks} CPU ranks of this machine",
        "{model} ({params} mia. parametre), {ranks} CPU-ranks på denne maskine",
    ),
    "too_close": ("too close", "for tæt"),
    # what remains
    "error_memory": (
        "Peaks are predicted within ± {error} % ({names}).",
        "Spidsforbrug forudsiges inden for ± {error} % ({names}).",
    ),
    "all_options": ("all options", "alle muligheder"),
    "assume_ac_full": (
        "Activation checkpointing is not spoken of: full{at}, the same for all options, for without it not all fit.",
        "Activation checkpointing er ikke nævnt: fuld{at}, ens for alle, for uden kan de ikke alle være der.",
    ),
    "assume_ac_none": (
        "Activation checkpointing is not spoken of: none{at}, for all options fit without.",
        "Activation checkpointing er ikke nævnt: ingen{at}, for alle muligheder kan være der uden.",
    ),
    "assume_seq_len": (
        "No sequence length is stated: {tokens} tokens are assumed.",
        "Ingen sekvenslængde er oplyst: der regnes med {tokens} tokens.",
    ),
    "assume_batch": (
        "One sequence per GPU and micro-step, no gradient accumulation; larger batches hide more of the links.",
        "Én sekvens pr. GPU og mikro-trin, ingen gradient accumulation; større batches skjuler mere af forbindelserne.",
    ),
    "assume_method": (
        "All weights are trained, with AdamW and fp32 master weights; nothing else was said.",
        "Alle vægte trænes, med AdamW og fp32 master weights; andet er ikke sagt.",
    ),
    "assume_nodes": (
        "Machines of {per_node} GPUs are assumed; their number is not stated.",
        "Der regnes med maskiner på {per_node} GPU'er; deres antal er ikke oplyst.",
    ),
    "assume_network": (
        "The link between machines is not stated: {link}, {rate} GB/s for each GPU, is assumed.",
        "Forbindelsen mellem maskinerne er ikke oplyst: der regnes med {rate} GB/s for hver GPU ({link}).",
    ),
    "clean_network": (
        "Links are counted at {pct} % of their data sheet's rate; congestion of a shared fabric is not.",
        "Forbindelser regnes med {pct} % af databladets hastighed; trængsel på et delt net regnes ikke med.",
    ),
    "open_settings": (
        "What was left open (loss, norm kernel, allocator) is as in transformers and eager torch; "
        "`fsdp-agent estimate` says what each is worth.",
        "Det, der står åbent (loss, norm-kernel, allocator), er som i transformers og eager torch; `fsdp-agent "
        "estimate` siger, hvad hver ting betyder.",
    ),
    "cp_waiting": (
        "Context parallelism: the waiting of ring attention is not counted; recorded runs are up to a quarter slower.",
        "Context parallelism: ventetiden i ring attention er ikke regnet med; målte kørsler er op til en fjerdedel "
        "langsommere.",
    ),
    "offload_rates": (
        "Offloading: PCIe 4.0 x16, and AdamW on the CPU at 25 GB/s of host memory for each rank; neither was measured.",
        "Offload: PCIe 4.0 x16 og AdamW på CPU'en med 25 GB/s værtshukommelse pr. rank; intet af det er målt.",
    ),
    "optimizer_alone": (
        "FSDP2 has no policy for the optimizer alone: torchao's CPUOffloadOptimizer or a step of one's own does it.",
        "FSDP2 har ingen policy for optimizeren alene: det gør torchaos CPUOffloadOptimizer eller et eget trin.",
    ),
    "gpu_price": (
        "An hour of one GPU does not cost what an hour of another does; prices were not compared.",
        "En time på én GPU koster ikke det samme som en time på en anden; priser er ikke sammenlignet.",
    ),
    "quality": (
        "Only memory and speed are compared, not what the model learns: {names}.",
        "Kun hukommelse og hastighed er sammenlignet, ikke hvad modellen lærer: {names}.",
    ),
    "error_speed": (
        "Speeds are predicted within ± {error} % ({gpu}). What two options have in common errs alike, so a measurement "
        "can show differences that this cannot.",
        "Hastigheder forudsiges inden for ± {error} % ({gpu}). Det, to muligheder har fælles, fejler ens, så en måling "
        "kan vise forskelle, som dette ikke kan.",
    ),
    "problem": ("{name}{at} was not estimated: {why}.", "{name}{at} blev ikke beregnet: {why}."),
    "decide_speed": (
        "A trial of {names}, 20 steps each{at}: the difference to look for is {pct} %.",
        "En prøvekørsel af {names}, 20 trin hver{at}: forskellen, der skal ses efter, er {pct} %.",
    ),
    "decide_unknown": (
        "A trial of {names}, 20 steps each{at}.",
        "En prøvekørsel af {names}, 20 trin hver{at}.",
    ),
    "decide_fit": (
        "One step of {name}{at} on the machine, or a dry run: does it stay below {room} GiB?",
        "Ét trin af {name}{at} på maskinen, eller en dry run: holder det sig under {room} GiB?",
    ),
}


def text(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in.

    Args:
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    english, danish = _TEXTS[key]
    return (danish if language == "da" else english).format(**values)
