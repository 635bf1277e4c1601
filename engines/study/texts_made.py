"""Sentences on how a study was made and what remains open, in English and Danish; `texts.text` fills them in."""

from contracts.wording import Sentences

MADE: Sentences = {
    # how the question was read
    "field_holds": (
        "The question says {said}, the option or field of the request {stated}: the latter holds in all numbers.",
        "Spørgsmålet siger {said}, feltet eller tilvalget siger {stated}: det sidste gælder i alle tal.",
    ),
    "read_as_tied": (
        'What "with" names was read as belonging to the first side alone; the others: {default}.',
        'Det, "med" nævner, er læst som hørende til den første side alene; de andre: {default}.',
    ),
    "price_each": (
        "The price is taken to be that of one GPU for an hour: {price} {currency}.",
        "Prisen er regnet som prisen for én GPU i en time: {price} {currency}.",
    ),
    "held": (
        "Taken from the question for all options: {settings}.",
        "Taget fra spørgsmålet for alle muligheder: {settings}.",
    ),
    "read_in_part": (
        "Only the first {read} characters of the question were read; it has {count}.",
        "Kun de første {read} tegn af spørgsmålet er læst; det har {count}.",
    ),
    "unlooked": (
        'Not looked at, for nothing that is estimated here answers it: "{part}".',
        'Ikke undersøgt, for intet af det, der beregnes her, svarer på det: "{part}".',
    ),
    "left_out": (
        "{count} more options or conditions were left out: no more than {options} and {conditions} are shown.",
        "{count} muligheder eller betingelser mere er udeladt: der vises højst {options} og {conditions}.",
    ),
    "field_left": (
        "The question weighs {said}; {stated}, which an option or field of the request gives, is none of them.",
        "Spørgsmålet afvejer {said}; {stated}, som et felt eller tilvalg giver, er ikke blandt dem.",
    ),
    "assume_fp16": (
        "{gpu} has no bf16 hardware: 16 bits mean fp16 here, with torch.amp.GradScaler in a script of your own; the "
        "built-in recipe computes in fp32 there.",
        "{gpu} har ingen bf16-hardware: 16 bits betyder fp16 her, med torch.amp.GradScaler i dit eget script; den "
        "indbyggede opskrift regner i fp32 der.",
    ),
    # what is being done, while it is done
    "doing_decompose": ("taking the question apart", "deler spørgsmålet op"),
    "doing_estimate": ("estimating {count} configurations", "beregner {count} konfigurationer"),
    # how it was done
    "method_options": ("Options: {options}.", "Muligheder: {options}."),
    "method_conditions": ("Conditions: {conditions}.", "Betingelser: {conditions}."),
    "method_counts": (
        "{claims} claims were looked up in the cards and {estimates} configurations estimated.",
        "{claims} udsagn blev slået op i kortene, som er på engelsk, og {estimates} konfigurationer blev beregnet.",
    ),
    "from_memory_model": ("memory model (allocation trace)", "hukommelsesmodel (allokeringsspor)"),
    "from_both_models": (
        "memory model (allocation trace); speed model (fitted to recorded runs)",
        "hukommelsesmodel (allokeringsspor); fartmodel (tilpasset registrerede kørsler)",
    ),
    "asks_claim": ("What is known of it: {title}", 'Hvad det engelske kort siger: "{title}"'),
    "method_dryrun_answered": (
        "{count} dry runs with the real fully_shard.",
        "{count} dry runs med det rigtige fully_shard.",
    ),
    "method_dryrun_waiting": ("Dry runs that wait: {count}.", "Dry runs, der venter: {count}."),
    "method_dryrun_skipped": ("Dry runs that were skipped: {count}.", "Dry runs, der blev sprunget over: {count}."),
    "method_dryrun_failed": ("Dry runs that failed: {count}.", "Dry runs, der fejlede: {count}."),
    "method_trial_answered": (
        "Trials that ran after a person had approved them: {count}.",
        "Forsøg, der kørte, efter at et menneske havde godkendt dem: {count}.",
    ),
    "method_trial_waiting": (
        "Trials that wait for a person's approval: {count}.",
        "Forsøg, der venter på et menneskes godkendelse: {count}.",
    ),
    "method_trial_skipped": ("Trials that were not run: {count}.", "Forsøg, der ikke blev kørt: {count}."),
    "method_trial_failed": ("Trials that failed: {count}.", "Forsøg, der fejlede: {count}."),
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
        "Forsøg: sprunget over, for der er ingen modelmappe at køre (--model MAPPE).",
    ),
    "trials_not_asked": (
        'Trials: not asked for; "measure it on this machine" in the question puts them forward for approval.',
        'Forsøg: der er ikke bedt om nogen; "mål det på denne maskine" i spørgsmålet forelægger dem til godkendelse.',
    ),
    "trials_not_expressed": (
        "Trials: skipped, for the built-in recipe has fewer than two of the options that fit.",
        "Forsøg: sprunget over, for den indbyggede opskrift har færre end to af de muligheder, der kan være der.",
    ),
    "trials_wait": ("waits for a person's approval", "venter på et menneskes godkendelse"),
    "trials_rejected": ("a person rejected them", "et menneske afviste dem"),
    "trial_result": (
        "{speed} tokens/s per rank ± {spread} %, median of {steps} steps",
        "{speed} tokens/s pr. rank ± {spread} %, median af {steps} trin",
    ),
    "subject": (
        "{model} ({params}), {ranks} x {gpu} in {nodes} machines{network}",
        "{model} ({params}), {ranks} x {gpu} i {nodes} maskiner{network}",
    ),
    "billions": ("{count} billion parameters", "{count} mia. parametre"),
    "millions": ("{count} million parameters", "{count} mio. parametre"),
    "subject_sizes": (
        "{model} ({params}) on {gpu}",
        "{model} ({params}) på {gpu}",
    ),
    "subject_one": (
        "{model} ({params}), {ranks} x {gpu} in one machine",
        "{model} ({params}), {ranks} x {gpu} i én maskine",
    ),
    "subject_cpu": (
        "{model} ({params}), {ranks} CPU ranks of this machine",
        "{model} ({params}), {ranks} CPU-ranks på denne maskine",
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
        "One sequence per GPU and micro-step is assumed; larger batches hide more of the links.",
        "Der regnes med én sekvens pr. GPU og mikro-trin; større batches skjuler mere af forbindelserne.",
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
    "assume_accumulation": (
        "Gradient accumulation is not spoken of: shown are {counts} per optimizer step.",
        "Gradient accumulation er ikke nævnt: vist er {counts} pr. optimizer-trin.",
    ),
    "optimizer_alone": (
        "FSDP2 has no policy for the optimizer alone: torchao's CPUOffloadOptimizer or a step of one's own does it.",
        "FSDP2 har ingen policy for optimizeren alene: det gør torchaos CPUOffloadOptimizer eller et eget trin.",
    ),
    "trials_once": (
        "Each trial ran once, one after the other: what else the machine did meanwhile is in the differences, but not "
        "in the ±.",
        "Hvert forsøg kørte én gang, efter hinanden: hvad maskinen ellers lavede imens, er med i forskellene, men "
        "ikke i ±.",
    ),
    "trials_twice": (
        "Each option was tried twice, in turns; the ± covers the steps of a trial and what the two differ by.",
        "Hver mulighed blev prøvet to gange, på skift; ± dækker trinene i et forsøg og forskellen mellem de to.",
    ),
    "trials_cpu": (
        "Measured on CPU ranks with gloo; what it says of GPUs with NCCL is little.",
        "Målt på CPU-ranks med gloo; det siger kun lidt om GPU'er med NCCL.",
    ),
    "not_counted": ("Not counted: {what}.", "Ikke regnet med: {what}."),
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
        "Et forsøg med {names}, 20 trin hver{at}: forskellen, der skal ses efter, er {pct} %.",
    ),
    "decide_unknown": (
        "A trial of {names}, 20 steps each{at}.",
        "Et forsøg med {names}, 20 trin hver{at}.",
    ),
    "decide_fit": (
        "One step of {name}{at} on the machine, or a dry run: does it stay below {room} GiB?",
        "Ét trin af {name}{at} på maskinen, eller en dry run: holder det sig under {room} GiB?",
    ),
}
"""By name: English, Danish."""
