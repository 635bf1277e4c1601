"""Mesh, scaling, checkpoints and failures of a plan for several machines, in English and Danish."""

from contracts.wording import Sentences

SCALE: Sentences = {
    # the mesh
    "mesh": (
        "mesh of {copies} x {shard} (replicas x shard ranks)",
        "mesh på {copies} x {shard} (replikaer x shard-ranks)",
    ),
    "mesh_hsdp": (
        "HSDP with {copies} replicas of {shard} ranks",
        "HSDP med {copies} replikaer på {shard} ranks",
    ),
    "mesh_full": ("full sharding over {shard} ranks", "fuld sharding over {shard} ranks"),
    "mesh_to_node": (
        "full sharding over {shard} ranks, resharded to {kept} after forward",
        "fuld sharding over {shard} ranks, resharded til {kept} efter forward",
    ),
    "mesh_peak": ("{mesh}: {peak:.1f} GiB", "{mesh}: {peak:.1f} GiB"),
    "mesh_limit": (" of {limit:.1f} GiB", " af {limit:.1f} GiB"),
    "mesh_speed": (", {speed:,.0f} tokens/s per GPU", ", {speed:,.0f} tokens/s pr. GPU"),
    "mesh_no_fit": (
        "; {mesh} would be {gain:.1%} faster and does not fit",
        "; {mesh} ville være {gain:.1%} hurtigere og kan ikke være der",
    ),
    "mesh_own_script": (
        "; {mesh} would be {gain:.1%} faster, in a script of your own",
        "; {mesh} ville være {gain:.1%} hurtigere, i dit eget script",
    ),
    "mesh_not_asked": (
        "; {mesh} would be {gain:.1%} faster, and was not asked for",
        "; {mesh} ville være {gain:.1%} hurtigere, og der er ikke bedt om det",
    ),
    "mesh_alike": (
        "; {mesh} is {gain:.1%} faster, which is within {within:.0%} and not worth its memory or care",
        "; {mesh} er {gain:.1%} hurtigere, hvilket er inden for {within:.0%} og ikke sin hukommelse eller "
        "opmærksomhed værd",
    ),
    "mesh_none": (
        "No mesh fits: {mesh} takes {peak:.1f} GiB of {limit:.1f} GiB",
        "Ingen mesh kan være der: {mesh} tager {peak:.1f} GiB af {limit:.1f} GiB",
    ),
    "mesh_leanest": ("; the leanest, {mesh}, {peak:.1f} GiB", "; den mindste, {mesh}, {peak:.1f} GiB"),
    "mesh_other_way": (
        "; another way to save memory is needed.",
        "; hukommelse må spares på en anden måde.",
    ),
    "mesh_full_no_fit": (
        "; full sharding takes {peak:.1f} GiB and does not fit ({why})",
        "; fuld sharding tager {peak:.1f} GiB og kan ikke være der ({why})",
    ),
    "mesh_padded": (
        "tensors with fewer rows than ranks are padded",
        "tensorer med færre rækker end ranks polstres",
    ),
    "mesh_larger": ("it is larger", "den er større"),
    "mesh_as_fast": (
        "; as fast as full sharding, with {gib:+.1f} GiB",
        "; lige så hurtig som fuld sharding, med {gib:+.1f} GiB",
    ),
    "mesh_faster": (
        "; {more:.1%} faster than full sharding, for it sends {gb:.0f} GB in place of {full:.0f} through a machine's "
        "adapters in each step",
        "; {more:.1%} hurtigere end fuld sharding, for den sender {gb:.0f} GB i stedet for {full:.0f} gennem en "
        "maskines netkort i hvert trin",
    ),
    # its bytes by hand
    "bytes_replicas": (
        "{mesh}: {times} x 2 x {less}/{copies} x {reduce} bytes x {params:,} parameters = {gb:,.1f} GB through a "
        "machine's adapters in a step, and no gathers",
        "{mesh}: {times} x 2 x {less}/{copies} x {reduce} bytes x {params:,} parametre = {gb:,.1f} GB gennem en "
        "maskines netkort i et trin, og ingen gathers",
    ),
    "bytes_sharded": (
        "{mesh}: ({gathers} gathers x {act} + {times} reductions x {reduce}) bytes x {params:,} parameters x "
        "{less_shard}/{shard}{replicas}{root} = {gb:,.1f} GB through a machine's adapters in a step",
        "{mesh}: ({gathers} gathers x {act} + {times} reduktioner x {reduce}) bytes x {params:,} parametre x "
        "{less_shard}/{shard}{replicas}{root} = {gb:,.1f} GB gennem en maskines netkort i et trin",
    ),
    "bytes_of_replicas": (
        ", and 2 x {less}/{copies} x {reduce} bytes of a machine's share of the gradients",
        ", og 2 x {less}/{copies} x {reduce} bytes af en maskines andel af gradienterne",
    ),
    "bytes_root": (" (the root is gathered once)", " (roden samles én gang)"),
    # the curve
    "machine": ("{nodes} machine ({gpus:,} GPUs)", "{nodes} maskine ({gpus:,} GPU'er)"),
    "machines": ("{nodes} machines ({gpus:,} GPUs)", "{nodes} maskiner ({gpus:,} GPU'er)"),
    "curve_no_fit": (
        "Nothing here fits: these are the speeds that it would have. ",
        "Intet her kan være der: det er de hastigheder, som det ville have. ",
    ),
    "curve_batch_ends": ("the global batch divides no further", "den globale batch kan ikke deles yderligere"),
    "curve_ends": ("it was worked out no further", "der er ikke regnet længere"),
    "curve_grows": (
        "It does not turn over up to {machines}, with {speed:,.0f} tokens/s; {why}.",
        "Den vender ikke op til {machines}, med {speed:,.0f} tokens/s; {why}.",
    ),
    "curve_turns": (
        "It turns over at {machines}: {after} give {less:,.0f} tokens/s, {before} give {most:,.0f}",
        "Den vender ved {machines}: {after} giver {less:,.0f} tokens/s, {before} giver {most:,.0f}",
    ),
    "curve_more_again": ("; only {nodes} give more again.", "; først {nodes} giver mere igen."),
    "curve_fewest_one": (" {nodes} is the fewest that fit.", " {nodes} er det mindste, der kan være på."),
    "curve_fewest": (" {nodes} are the fewest that fit.", " {nodes} er det mindste, der kan være på."),
    "curve_pays": (
        " Every doubling up to {machines} gives at least {pays:g} times the tokens a second ({share:.0f} % of a GPU's "
        "first speed there).",
        " Hver fordobling op til {machines} giver mindst {pays:g} gange så mange tokens i sekundet ({share:.0f} % af "
        "en GPU's første fart dér).",
    ),
    # checkpoints
    "save_size": (
        "size: {each:g} bytes x {params:,.0f} parameters = {gb:,.1f} GB",
        "størrelse: {each:g} bytes x {params:,.0f} parametre = {gb:,.1f} GB",
    ),
    "save_time": (
        "time: {gb:,.1f} GB / ({nodes} machines x {rate:g} GB/s) = {save:,.1f} s",
        "tid: {gb:,.1f} GB / ({nodes} maskiner x {rate:g} GB/s) = {save:,.1f} s",
    ),
    "save_failures": (
        "failures: {gpu_hours:,.0f} GPU hours / {gpus:,} GPUs = one in {hours:,.1f} hours",
        "fejl: {gpu_hours:,.0f} GPU-timer / {gpus:,} GPU'er = én på {hours:,.1f} timer",
    ),
    "save_interval": (
        "interval: sqrt(2 x {save:,.1f} s x {mtbf:,.0f} s) = {young:,.0f} s (Young); {daly:,.0f} s (Daly)",
        "interval: sqrt(2 x {save:,.1f} s x {mtbf:,.0f} s) = {young:,.0f} s (Young); {daly:,.0f} s (Daly)",
    ),
    "save_wall_time": (
        "wall time: M/t e^(R/M) (e^((t + d)/M) - 1) with M = {mtbf:,.0f}, t = {daly:,.0f}, d = {save:,.1f}, "
        "R = {restart:,.0f} s: {slowdown:.4f} times the training's own",
        "samlet tid: M/t e^(R/M) (e^((t + d)/M) - 1) med M = {mtbf:,.0f}, t = {daly:,.0f}, d = {save:,.1f}, "
        "R = {restart:,.0f} s: {slowdown:.4f} gange træningens egen",
    ),
    "save_assumed_failures": (
        "a failure every {hours:,.0f} GPU hours: 419 in 54 days on 16,384 GPUs ({source}); yours: "
        "--gpu-hours-per-failure",
        "en fejl for hver {hours:,.0f} GPU-timer: 419 på 54 dage på 16.384 GPU'er ({source}); din egen: "
        "--gpu-hours-per-failure",
    ),
    "save_assumed_storage": (
        "a machine writes {rate:g} GB/s while all do: 2 TB/s for 2,048 machines ({source}); yours: --storage",
        "en maskine skriver {rate:g} GB/s, mens alle gør det: 2 TB/s til 2.048 maskiner ({source}); din egen: "
        "--storage",
    ),
    "save_assumed_restart": (
        "{minutes:g} minutes from a failure to a new start; yours: --restart-minutes",
        "{minutes:g} minutter fra en fejl til en ny start; din egen: --restart-minutes",
    ),
    "save_waits": (
        "the training waits for the whole write; async_checkpoints waits for a copy in host memory only",
        "træningen venter på hele skrivningen; async_checkpoints venter kun på en kopi i værtshukommelsen",
    ),
    "save_young": (
        "Young 1974, doi:10.1145/361147.361115: sqrt(2 x save x time between failures)",
        "Young 1974, doi:10.1145/361147.361115: sqrt(2 x skrivetid x tid mellem fejl)",
    ),
    "save_daly": (
        "Daly 2006, doi:10.1016/j.future.2004.11.016: its higher order, and the expected wall time",
        "Daly 2006, doi:10.1016/j.future.2004.11.016: den højere orden, og den forventede samlede tid",
    ),
    "save_llama3": (
        "{source}, section 3.3.4: failures; section 3.3.1: storage",
        "{source}, afsnit 3.3.4: fejl; afsnit 3.3.1: lager",
    ),
    # time and money with failures
    "billed": (
        "{tokens:,} tokens / ({speed:,.0f} tokens/s x {ranks} GPUs) / {useful:.4f} = {hours:,.2f} hours "
        "= {gpu_hours:,.2f} GPU hours with checkpoints and failures",
        "{tokens:,} tokens / ({speed:,.0f} tokens/s x {ranks} GPU'er) / {useful:.4f} = {hours:,.2f} timer "
        "= {gpu_hours:,.2f} GPU-timer med checkpoints og fejl",
    ),
    "billed_cost": (", x {price:g} = {cost:,.2f}", ", x {price:g} = {cost:,.2f}"),
}
"""By name: English, Danish."""
