"""The reasons of a plan's decisions, and what its alternatives give up, in English and Danish."""

from contracts.wording import Sentences

REASONS: Sentences = {
    # whether FSDP
    "states": (
        "{each:g} bytes x {params:count} parameters = {states:size} of weights, gradients and {optimizer} state; "
        "{share:size} on each of {ranks} ranks",
        "{each:g} bytes x {params:count} parametre = {states:size} vægte, gradienter og {optimizer}-tilstand; "
        "{share:size} på hver af {ranks} ranks",
    ),
    "adapters": (
        "{method}: {params:count} frozen parameters; predicted {peak:size}",
        "{method}: {params:count} frosne parametre; forventet {peak:size}",
    ),
    "device_has": ("; a device has {capacity:size}", "; en enhed har {capacity:size}"),
    "lighter": (
        ", so training all weights needs more than a GPU; but no method was stated, and LoRA does without FSDP: {why}",
        ", så træning af alle vægte kræver mere end én GPU; men ingen metode er nævnt, og LoRA klarer sig uden FSDP: "
        "{why}",
    ),
    "beyond_fsdp": (
        "; on any number of ranks, what sharding does not divide (activations, logits, gathered groups) is too large: "
        "tensor or context parallelism, a fused loss, shorter sequences",
        "; uanset antallet af ranks er det, som sharding ikke deler (aktiveringer, logits, samlede grupper), for "
        "stort: tensor- eller context-parallelisme, fused loss, kortere sekvenser",
    ),
    "one_gpu_alone": (
        "one GPU alone: {alone:size} (states, and activations and logits with full checkpointing)",
        "én GPU alene: {alone:size} (states, samt aktiveringer og logits med fuld checkpointing)",
    ),
    "replica": (
        "; a DDP replica: {replica:size}, with {more} bytes a parameter more for gradient buckets (4) and autocast's "
        "bf16 copies (2)",
        "; en DDP-replika: {replica:size}, med {more} bytes mere pr. parameter til gradient buckets (4) og autocasts "
        "bf16-kopier (2)",
    ),
    "replica_fp32": (
        "; a DDP replica: {replica:size}, with {more} bytes a parameter more for gradient buckets",
        "; en DDP-replika: {replica:size}, med {more} bytes mere pr. parameter til gradient buckets",
    ),
    "sharding_not_needed": ("sharding is not needed to fit", "sharding er ikke nødvendig for pladsens skyld"),
    "sharding_needed": ("sharding is needed to fit", "sharding er nødvendig for pladsens skyld"),
    "offloading_not_needed": ("one GPU holds it", "én GPU kan rumme det"),
    "offloading_needed": (
        "one GPU does not hold all of it: some must lie in host memory, or more GPUs share it",
        "én GPU kan ikke rumme det hele: noget må ligge i værtshukommelsen, eller flere GPU'er deles om det",
    ),
    # how it is grouped and sharded
    "grouping": (
        "fully_shard on each decoder block, then on the root",
        "fully_shard på hver decoder-blok, derefter på roden",
    ),
    "grouping_why": (
        "{layers} blocks are gathered one at a time; the root takes embedding, norm and head, which would otherwise "
        "stay unsharded and unreduced",
        "{layers} blokke samles en ad gangen; roden tager embedding, norm og head, som ellers ville forblive "
        "ushardede og ureducerede",
    ),
    "tied": (
        "embedding and head stay in one group (the root)",
        "embedding og head bliver i én gruppe (roden)",
    ),
    "tied_why": (
        "their weight is one tensor; in two groups it would be sharded twice",
        "deres vægt er én tensor; i to grupper ville den blive shardet to gange",
    ),
    "resharded": (
        "keeping all parameters gathered after forward would hold {whole:size} ({dtype})",
        "at beholde alle parametre samlet efter forward ville fylde {whole:size} ({dtype})",
    ),
    "kept_gathered": (
        "saves one all-gather in the backward and holds {whole:size} of gathered parameters for it",
        "sparer én all-gather i backward og holder til gengæld {whole:size} samlede parametre",
    ),
    "hsdp": ("HSDP mesh (replicate {copies}, shard {shard})", "HSDP-mesh (replicate {copies}, shard {shard})"),
    "hsdp_why": (
        "{copies} x {shard} = {ranks} ranks; each holds 1/{shard} of the states",
        "{copies} x {shard} = {ranks} ranks; hver holder 1/{shard} af states",
    ),
    "one_group": ("one shard group of {ranks} ranks", "én shard-gruppe på {ranks} ranks"),
    "one_group_why": (
        "each rank holds 1/{ranks} of weights, gradients and optimizer state",
        "hver rank holder 1/{ranks} af vægte, gradienter og optimizer-tilstand",
    ),
    # precision
    "master": (
        "{optimizer} updates are smaller than a bf16 weight resolves (8 bits of mantissa), so the sharded copy stays "
        "fp32",
        "{optimizer}s opdateringer er mindre end det, en bf16-vægt kan gengive (8 bits mantisse), så den shardede "
        "kopi forbliver fp32",
    ),
    "fp32_stated": (
        "stated: products in fp32 too, at twice the bytes of bf16 for gathered parameters and activations",
        "oplyst: også produkter i fp32, med dobbelt så mange bytes som bf16 til samlede parametre og aktiveringer",
    ),
    "fp32_for_want_of_bf16": (
        "{device} has no bf16 hardware (that takes compute capability 8.0, Ampere or newer): torch emulates bf16 "
        "there, slowly, and fp16 needs a script of your own with torch.amp.GradScaler (ShardedGradScaler under FSDP1), "
        "for gradients below 3e-8 become 0 in it; fp32 runs on its ordinary cores ({tflops:g} TFLOP/s), at twice the "
        "bytes for gathered parameters and activations",
        "{device} har ingen bf16-hardware (det kræver compute capability 8.0, Ampere eller nyere): torch emulerer bf16 "
        "der, langsomt, og fp16 kræver dit eget script med torch.amp.GradScaler (ShardedGradScaler under FSDP1), for "
        "gradienter under 3e-8 bliver 0 i det; fp32 kører på dens almindelige kerner ({tflops:g} TFLOP/s), med dobbelt "
        "så mange bytes til samlede parametre og aktiveringer",
    ),
    "cost_fp16": (
        "every backward and step go through torch.amp.GradScaler",
        "hver backward og hvert trin går gennem torch.amp.GradScaler",
    ),
    "reduce_as_is": (
        "gradients are fp32 as they come; nothing is rounded on the way",
        "gradienterne er fp32, som de kommer; intet afrundes undervejs",
    ),
    "reduce_fp32": (
        "summing gradients of many ranks in bf16 loses the small ones; left out, it follows param_dtype",
        "at summere mange ranks' gradienter i bf16 taber de små; udelades den, følger den param_dtype",
    ),
    "reduce_bf16": (
        "stated: half the reduce-scatter traffic, less accurate sums",
        "oplyst: den halve reduce-scatter-trafik, mindre nøjagtige summer",
    ),
    # memory and speed
    "how_stated": ("stated in the request", "oplyst i anmodningen"),
    "how_fastest_fitting": ("the fastest setting that fits", "den hurtigste indstilling, der kan være der"),
    "how_fastest": (
        "the fastest setting; the capacity is not known",
        "den hurtigste indstilling; kapaciteten kendes ikke",
    ),
    "how_leanest": (
        "the leanest setting; it does not fit",
        "den mest sparsommelige indstilling; den kan ikke være der",
    ),
    "peak_predicted": (
        "; predicted peak {peak:size} reserved, plus or minus {error:.0f} %",
        "; forventet spidsforbrug {peak:size} reserveret, plus/minus {error:.0f} %",
    ),
    "margin_left": ("; margin {margin:size}", "; margin {margin:size}"),
    "batch": (
        "micro_batch={batch}: {sequences} sequences of {seq_len} a step",
        "micro_batch={batch}: {sequences} sekvenser på {seq_len} pr. trin",
    ),
    "batch_why": (
        "{goal} with {margin:g} % of margin, of {considered} configurations ({traced} by the allocation trace); "
        "speeds within 2 % count as equal, the smaller peak wins",
        "{goal} med {margin:g} % margin, ud af {considered} konfigurationer ({traced} med allokeringssporet); "
        "hastigheder inden for 2 % regnes for ens, det mindste spidsforbrug vinder",
    ),
    "batch_why_none": (
        "none of {considered} configurations ({traced} by the allocation trace) fits with {margin:g} % of margin: this "
        "is the leanest setting",
        "ingen af {considered} konfigurationer ({traced} med allokeringssporet) kan være der med {margin:g} % margin: "
        "dette er den mest sparsommelige indstilling",
    ),
    "speed": (
        "{speed:,.0f} tokens/s per GPU, bound by {bound}",
        "{speed:,.0f} tokens/s pr. GPU, begrænset af {bound}",
    ),
    "speed_why": (
        "a step takes {step:.3f} s, plus or minus {error:.0f} %: {parts}",
        "et trin tager {step:.3f} s, plus/minus {error:.0f} %: {parts}",
    ),
    "step_part": ("{name} {seconds:.3f} s", "{name} {seconds:.3f} s"),
    "would_fit": ("what would fit", "det, der kan være der"),
    # alternatives
    "alternative": (
        "{settings}{own}: {peak:.2f} GiB reserved, {judged}, {speed:,.0f} tokens/s per GPU; {gives_up}",
        "{settings}{own}: {peak:.2f} GiB reserveret, {judged}, {speed:,.0f} tokens/s pr. GPU; {gives_up}",
    ),
    "own_script": (" (a script of your own)", " (dit eget script)"),
    "fits": ("fits", "kan være der"),
    "does_not_fit": ("does not fit", "kan ikke være der"),
    "faster": ("{share:.1%} faster", "{share:.1%} hurtigere"),
    "slower": ("{share:.1%} slower", "{share:.1%} langsommere"),
    "gib_more": ("{gib:.1f} GiB more", "{gib:.1f} GiB mere"),
    "gib_less": ("{gib:.1f} GiB less", "{gib:.1f} GiB mindre"),
    "cost_ac_full": ("each block's forward runs twice", "hver bloks forward kører to gange"),
    "cost_ac_selective_op": ("a policy chooses what is kept", "en policy vælger, hvad der gemmes"),
    "cost_ac_every_k": (
        "one block in two runs its forward twice",
        "hver anden blok kører sin forward to gange",
    ),
    "cost_ac_none": ("every activation is kept", "alle aktiveringer gemmes"),
    "cost_gathered": (
        "{gathered:.1f} GiB of gathered parameters stay through the step",
        "{gathered:.1f} GiB samlede parametre bliver liggende gennem trinnet",
    ),
    "cost_offload": (
        "parameters and gradients cross PCIe and the optimizer runs on the CPU",
        "parametre og gradienter krydser PCIe, og optimizeren kører på CPU'en",
    ),
    "cost_replicas": ("each state is held {copies} times", "hver state holdes {copies} gange"),
    "cost_tp": (
        "four collectives in every block wait, and the model's code needs a plan for it",
        "fire collectives i hver blok venter, og modellens kode skal have en plan til det",
    ),
    "cost_cp": (
        "attention in a ring over ranks; each sequence is split",
        "attention i en ring over ranks; hver sekvens deles",
    ),
    "cost_compile": (
        "minutes of compilation, and code that it can trace",
        "nogle minutters kompilering, og kode, som den kan følge",
    ),
    "cost_float8": ("float8 products: a loss curve to compare", "float8-produkter: en loss-kurve at sammenligne"),
    "cost_fused_loss": (
        "head and loss in one kernel (Liger, Cut Cross Entropy)",
        "head og loss i én kernel (Liger, Cut Cross Entropy)",
    ),
    "cost_batch": (
        "a global batch of {sequences} sequences instead of {chosen}",
        "en global batch på {sequences} sekvenser i stedet for {chosen}",
    ),
    "cost_ranks": ("{ranks} GPUs", "{ranks} GPU'er"),
}
"""By name: English, Danish."""
