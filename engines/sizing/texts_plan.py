"""What a plan assumes, warns of and costs, and what it cannot do without, in English and Danish."""

from contracts.wording import Sentences

PLAN: Sentences = {
    # the device and the recipe
    "usable": (
        "{device}: {usable:g} GiB usable of {memory:g} GB",
        "{device}: {usable:g} GiB af {memory:g} GB kan bruges",
    ),
    "stated_memory": (
        "{memory:g} GB of device memory = {gib:.1f} GiB, all of it usable",
        "{memory:g} GB hukommelse på enheden = {gib:.1f} GiB, som alle kan bruges",
    ),
    "capacity_unknown": (
        "memory of {device} is not known: whether it fits is not judged",
        "hukommelsen på {device} kendes ikke: om det kan være der, er ikke vurderet",
    ),
    "the_gpu": ("the GPU", "GPU'en"),
    "default": ("{name} {value} (the default; not stated)", "{name} {value} (standardværdi; ikke oplyst)"),
    "chosen": ("{name} {value} (chosen; not stated)", "{name} {value} (valgt; ikke oplyst)"),
    "full_method": (
        "all weights are trained (full fine-tuning); no method was stated",
        "alle vægte trænes (fuld finetuning); ingen metode er nævnt",
    ),
    "adapter_rank": ("adapters of rank {rank} on every projection", "adaptere af rank {rank} på hver projektion"),
    "script_decides": (
        "the script decides on model, data and settings; memory and time are not predicted",
        "scriptet bestemmer over model, data og indstillinger; hukommelse og tid er ikke forudsagt",
    ),
    # memory
    "unknown_family": (
        "model_type {family!r} is not known here; read as a Llama-type decoder",
        "model_type {family!r} kendes ikke her; læst som en decoder af Llama-typen",
    ),
    "cpu_memory": (
        "device cpu: host memory of one rank, without the interpreter (about 0.5 GiB) and the data",
        "device cpu: værtshukommelsen for én rank, uden fortolkeren (ca. 0,5 GiB) og data",
    ),
    "segments_on": ("expandable_segments on (worth up to 10 %)", "expandable_segments slået til (betyder op til 10 %)"),
    "segments_off": (
        "expandable_segments off (worth up to 10 %)",
        "expandable_segments slået fra (betyder op til 10 %)",
    ),
    "loss_kernel": ("loss_impl {loss} (worth up to 25 %)", "loss_impl {loss} (betyder op til 25 %)"),
    "norm_kernel": (
        "norm_kernel {norm} of RMSNorm (worth up to 15 % without activation checkpointing)",
        "norm_kernel {norm} til RMSNorm (betyder op til 15 % uden activation checkpointing)",
    ),
    "scores_kept": (
        "attention scores are materialised (seq_len x seq_len for each head)",
        "attention-scorerne materialiseres (seq_len x seq_len for hvert head)",
    ),
    "flash": (
        "attention through a flash or memory-efficient kernel (no scores of seq_len x seq_len)",
        "attention gennem en flash- eller memory-efficient-kernel (ingen scorer på seq_len x seq_len)",
    ),
    "pipeline_memory": (
        "pipeline schedule {schedule}; the fuller of the first and the last rank (worth up to 10 %)",
        "pipeline-schedule {schedule}; den fyldigste af den første og den sidste rank (betyder op til 10 %)",
    ),
    "float8_memory": (
        "float8 {float8}: what is kept for the backward is counted in {dtype}, which is what torchao keeps unless it "
        "is told to recompute (worth up to 3 %)",
        "float8 {float8}: det, der gemmes til backward, er regnet i {dtype}, som er det, torchao gemmer, medmindre "
        "den får besked på at genberegne (betyder op til 3 %)",
    ),
    "adafactor_step": (
        "adafactor: temporaries of its step are not counted",
        "adafactor: midlertidige tensorer i dens trin er ikke talt med",
    ),
    "formula_part": ("{name}: {formula} = {size:size}", "{name}: {formula} = {size:size}"),
    "formula_waiting": (", unsharded between micro-steps", ", usharded mellem micro-steps"),
    "formula_logits": (", where the logits were", ", hvor logits lå"),
    "formula_host": ("in host memory: {line}", "i værtshukommelsen: {line}"),
    "formula_active": (
        "sum of these: {active:.2f} GiB active; the allocation trace, which is the prediction, gives {traced:.2f}",
        "summen af disse: {active:.2f} GiB aktivt; allokeringssporet, som er forudsigelsen, giver {traced:.2f}",
    ),
    "formula_sums": (
        "sum of these: {active:.2f} GiB active, {reserved:.2f} GiB reserved; the allocation trace, which is the "
        "prediction, gives {traced:.2f} and {traced_reserved:.2f}",
        "summen af disse: {active:.2f} GiB aktivt, {reserved:.2f} GiB reserveret; allokeringssporet, som er "
        "forudsigelsen, giver {traced:.2f} og {traced_reserved:.2f}",
    ),
    # speed
    "link_assumed": (
        "{link} between machines, {rate:g} GB/s for each GPU (not stated)",
        "{link} mellem maskinerne, {rate:g} GB/s til hver GPU (ikke oplyst)",
    ),
    "unrecorded": (
        "no recorded run on {device}: its attained share of the peak is that of other GPUs",
        "ingen registreret kørsel på {device}: den opnåede andel af toppen er andre GPU'ers",
    ),
    "ring_waits": (
        "context parallelism: the waiting of ring attention is not counted (recorded runs are up to a quarter slower)",
        "context-parallelisme: ring attentions venten er ikke talt med (registrerede kørsler er op til en fjerdedel "
        "langsommere)",
    ),
    "bubble": (
        "pipeline parallelism: the bubble is counted, its sends and receives are not",
        "pipeline-parallelisme: boblen er talt med, dens send og receive er ikke",
    ),
    "offload_rates": (
        "offloading: PCIe 4.0 x16, and AdamW on the CPU at 25 GB/s of host memory for each rank",
        "offload: PCIe 4.0 x16, og AdamW på CPU'en med 25 GB/s værtshukommelse til hver rank",
    ),
    "torch_recent": ("torch 2.9 or newer", "torch 2.9 eller nyere"),
    # warnings
    "other_method": (
        "the built-in recipe trains all weights; {method} needs a script of your own",
        "den indbyggede opskrift træner alle vægte; {method} kræver dit eget script",
    ),
    "other_optimizer": (
        "the built-in recipe trains with AdamW; {optimizer} needs a script of your own",
        "den indbyggede opskrift træner med AdamW; {optimizer} kræver dit eget script",
    ),
    "one_rank": ("one rank: FSDP shards nothing", "én rank: FSDP sharder intet"),
    "crowded": (
        "{ranks} ranks on {gpus} GPUs: two ranks cannot share a GPU under NCCL",
        "{ranks} ranks på {gpus} GPU'er: to ranks kan ikke dele en GPU under NCCL",
    ),
    "offloaded": (
        "cpu_offload: the optimizer step runs on the CPU and every step crosses PCIe twice",
        "cpu_offload: optimizer-trinnet kører på CPU'en, og hvert trin krydser PCIe to gange",
    ),
    "offloaded_host": (
        "cpu_offload: {host:size} of host memory for each machine, beside what else it holds",
        "cpu_offload: {host:size} værtshukommelse til hver maskine, ud over hvad den ellers rummer",
    ),
    "offloaded_alone": (
        "one GPU holds this only because weights, gradients and optimizer state lie in host memory",
        "én GPU kan kun rumme dette, fordi vægte, gradienter og optimizer-tilstand ligger i værtshukommelsen",
    ),
    "fp32_assumed": (
        "param_dtype fp32 (not given): {device} has no bf16 hardware; its ordinary cores reach {tflops:g} TFLOP/s",
        "param_dtype fp32 (ikke angivet): {device} har ingen bf16-hardware; dens almindelige kerner når {tflops:g} "
        "TFLOP/s",
    ),
    "bf16_emulated": (
        "{device} has no bf16 hardware (that takes compute capability 8.0, Ampere or newer): torch emulates bf16 "
        "there, slowly, and flash attention does not run. Plan with param_dtype fp32 (--precision fp32), or train in "
        "fp16 with a gradient scaler by a script of your own",
        "{device} har ingen bf16-hardware (det kræver compute capability 8.0, Ampere eller nyere): torch emulerer "
        "bf16 der, langsomt, og flash attention kører ikke. Planlæg med param_dtype fp32 (--precision fp32), eller "
        "træn i fp16 med en gradient scaler i dit eget script",
    ),
    "bf16_as_fp16": (
        "{device}: memory as with fp16, which takes as much; speed as with fp16 on its tensor cores",
        "{device}: hukommelse som med fp16, der fylder det samme; fart som med fp16 på dens tensor cores",
    ),
    # time and money
    "bill": (
        "{tokens:,} tokens / ({speed:,.0f} tokens/s x {ranks} GPUs) = {hours:,.2f} hours = {gpu_hours:,.2f} GPU hours",
        "{tokens:,} tokens / ({speed:,.0f} tokens/s x {ranks} GPU'er) = {hours:,.2f} timer = {gpu_hours:,.2f} "
        "GPU-timer",
    ),
    "bill_cost": (" x {price:g} = {cost:,.2f}", " x {price:g} = {cost:,.2f}"),
    "bill_error": (", plus or minus {error:.0f} %", ", plus/minus {error:.0f} %"),
    # what is missing, or contradicts itself
    "replicas_uneven": (
        "dp_replicate {copies} does not divide the {ranks} ranks: {ranks} / {copies} = {share:.2f}",
        "dp_replicate {copies} går ikke op i de {ranks} ranks: {ranks} / {copies} = {share:.2f}",
    ),
    "replicas_uneven_hint": ("choose a divisor of the number of ranks", "vælg et tal, der går op i antallet af ranks"),
    "ranks_missing": ("the number of ranks is not stated", "antallet af ranks er ikke oplyst"),
    "ranks_missing_hint": (
        "state hardware.gpus (GPUs over all nodes), or hardware.ranks for device cpu",
        "oplys hardware.gpus (GPU'er over alle noder), eller hardware.ranks for device cpu",
    ),
    "nodes_uneven": (
        "{ranks} ranks do not divide over {nodes} nodes: {share:.2f} on each",
        "{ranks} ranks kan ikke deles på {nodes} noder: {share:.2f} på hver",
    ),
    "gpu_unknown": (
        "the GPU {device!r} is not known, so nothing says whether it fits",
        "GPU'en {device!r} kendes ikke, så intet viser, om det kan være der",
    ),
    "gpu_unknown_hint": (
        "state its memory as hardware.gpu_mem_gb, or name one of: {known}",
        "oplys dens hukommelse som hardware.gpu_mem_gb, eller nævn en af: {known}",
    ),
    "model_missing": (
        "the model is not named, so its memory cannot be predicted",
        "modellen er ikke nævnt, så dens hukommelse kan ikke forudsiges",
    ),
    "model_missing_hint": (
        "name the model, or give its Hugging Face folder as model.path",
        "nævn modellen, eller angiv dens Hugging Face-mappe som model.path",
    ),
}
"""By name: English, Danish."""
