"""Why a change mends the cause of a failure, and where the next run starts from, in English and Danish."""

from contracts.wording import Sentences

WHY: Sentences = {
    "made_before_sharding": (
        "it was made of the parameters as they were before the model was sharded, which replaces them: it is "
        "made after it now",
        "det var lavet af parametrene fra før modellen blev shardet, som erstatter dem: nu laves det bagefter",
    ),
    "batches_differ": (
        "the ranks had different numbers of batches, so those with more waited for those that were through: "
        "all stop after as many as the rank with the fewest has",
        "rankene havde forskelligt antal batches, så de med flere ventede på dem, der var færdige: alle "
        "stopper nu efter lige så mange, som ranken med færrest har",
    ),
    "worker_ended": (
        "a worker process of the DataLoader was ended from outside, as it happens where memory or /dev/shm is"
        " short: the rank loads its data itself",
        "en workerproces i DataLoader blev afsluttet udefra, som det sker, hvor hukommelse eller /dev/shm er "
        "knap: ranken henter nu selv sine data",
    ),
    "loop_left": (
        "each rank decided by its own numbers when to leave the loop, and those that stayed waited for the "
        "others: all leave it as soon as one of them would",
        "hver rank afgjorde ud fra sine egne tal, hvornår løkken skulle forlades, og de, der blev, ventede på"
        " resten: nu forlader alle den, så snart én ville",
    ),
    "order_of_keys": (
        "collectives were made in the order of a dictionary or set, which differs from rank to rank: they are"
        " made in the order of its keys",
        "kollektiver blev kaldt i rækkefølgen af et dictionary eller set, som er forskellig fra rank til "
        "rank: nu kaldes de i nøglernes rækkefølge",
    ),
    "destroyed_early": (
        "the process group was destroyed before the last collective was made: it is destroyed at the end now",
        "procesgruppen blev lukket før det sidste kollektiv: nu lukkes den til sidst",
    ),
    "guarded_collective": (
        "a collective stood below a rank guard, so the other ranks waited for it or went on without it: every"
        " rank makes it now, and what one rank alone is to do stays guarded",
        "et kollektiv stod under en betingelse på rank, så de øvrige ranks ventede på det eller fortsatte "
        "uden: nu kalder hver rank det, og det, som kun én rank skal gøre, er stadig betinget",
    ),
    "one_rank_cast": (
        "one rank alone changed the dtype of its weights, so the ranks exchanged different amounts: it no longer does",
        "kun én rank ændrede dtype for sine vægte, så rankene udvekslede forskellige mængder: det gør den ikke længere",
    ),
    "policy_casts": (
        "the weights are gathered in another dtype than the inputs have: the policy casts the inputs now, as "
        "by default",
        "vægtene samles i en anden dtype end inputs har: policyen caster nu inputs, som den gør som standard",
    ),
    "forward_casts": (
        "the policy casts tensors among the arguments, but not those inside of an object: the forward casts them now",
        "policyen caster tensorer blandt argumenterne, men ikke dem inde i et objekt: nu caster forward dem",
    ),
    "two_dtypes": (
        "one unit had parameters of two dtypes, which is refused: the part that was cast to fp32 stays as it was",
        "en enhed havde parametre med to dtypes, hvilket afvises: den del, der blev castet til fp32, "
        "forbliver som den var",
    ),
    "meeting_place": (
        "the script chose where its ranks meet, and that place cannot be used: they meet at the launcher's now",
        "scriptet valgte selv, hvor dets ranks mødes, og det sted kan ikke bruges: nu mødes de hos launcheren",
    ),
    "asks_slurm": (
        "the script asks Slurm for its rank, but torchrun started it, so all ranks took the same one: it asks torchrun",
        "scriptet spørger Slurm om sin rank, men torchrun startede det, så alle ranks tog den samme: nu "
        "spørger det torchrun",
    ),
    "gloo": (
        "the ranks run on CPUs and the script asked for NCCL, which is for GPUs: it asks for gloo now",
        "rankene kører på CPU'er, og scriptet bad om NCCL, som er til GPU'er: nu beder det om gloo",
    ),
    "names_cpu": (
        "the script moves its tensors to a GPU and its ranks were to run on CPUs: it names the CPU now",
        "scriptet flytter sine tensorer til en GPU, og dets ranks skulle køre på CPU'er: nu nævner det CPU'en",
    ),
    "loads_shards": (
        "full tensors were loaded into a sharded model: each rank takes its shard of them now",
        "fulde tensorer blev indlæst i en shardet model: nu tager hver rank sit shard af dem",
    ),
    "partial_state": (
        "the checkpoint has no state for parameters that never had a gradient: they keep the state that they have",
        "checkpointet har ingen tilstand for parametre, der aldrig fik en gradient: de beholder den tilstand, de har",
    ),
    "initial_rate": (
        "a schedule that goes on in the middle needs the first learning rate of each parameter group: it is set now",
        "en plan for læringsraten, der fortsætter midtvejs, kræver den første læringsrate for hver "
        "parametergruppe: nu sættes den",
    ),
    "clip": (
        "a model that fully_shard sharded has no clip_grad_norm_ of its own: torch.nn.utils.clip_grad_norm_ clips it",
        "en model, som fully_shard har shardet, har ingen egen clip_grad_norm_: "
        "torch.nn.utils.clip_grad_norm_ klipper den",
    ),
    "script_rate": (
        "the loss left the finite numbers: a tenth of the learning rate, and gradients clipped to a norm of 1",
        "loss forlod de endelige tal: en tiendedel af læringsraten, og gradienter klippes til normen 1",
    ),
    "container": (
        "a container was made a unit; it is never called, so nothing gathers its parameters: each layer is a unit now",
        "en container blev gjort til en enhed; den kaldes aldrig, så intet samler dens parametre: nu er hvert"
        " lag en enhed",
    ),
    "flat_parameter": (
        "frozen and trained parameters were in one flat parameter of FSDP1: the original parameters are kept now",
        "frosne og trænede parametre var i én flad parameter i FSDP1: nu beholdes de oprindelige parametre",
    ),
    "tied": (
        "two units shared one weight: both modules belong to the unit around them now",
        "to enheder delte én vægt: nu hører begge moduler til enheden omkring dem",
    ),
    "other_method": (
        "a method other than forward uses parameters that only forward gathers: FSDP gathers them for that method too",
        "en anden metode end forward bruger parametre, som kun forward samler: nu samler FSDP dem også for den metode",
    ),
    "module_called": (
        "a weight was used without calling its module, so nothing gathered it: the module is called now",
        "en vægt blev brugt uden at kalde dens modul, så intet samlede den: nu kaldes modulet",
    ),
    "copy": (
        "a sharded model cannot be copied: the copy is made before, and sharded in the same way",
        "en shardet model kan ikke kopieres: kopien laves før, og shardes på samme måde",
    ),
    "recompute": (
        "memory ran out: the activations of a block are computed again in the backward instead of being kept",
        "hukommelsen slap op: en bloks aktiveringer beregnes igen i backward i stedet for at blive gemt",
    ),
    "reshard": (
        "memory ran out: the gathered weights of a block are freed between forward and backward",
        "hukommelsen slap op: en bloks samlede vægte frigives mellem forward og backward",
    ),
    "offload": (
        "memory ran out: shards, gradients and optimizer state are kept in host memory",
        "hukommelsen slap op: shards, gradienter og optimizertilstand ligger i værtens hukommelse",
    ),
    "in_place": (
        "host memory ran out: a checkpoint is written from the state itself, not from a copy of it in host memory",
        "værtens hukommelse slap op: et checkpoint skrives fra selve tilstanden og ikke fra en kopi i værtens"
        " hukommelse",
    ),
    "segments": (
        "much memory was reserved but in pieces: the allocator grows its segments instead of adding others",
        "meget hukommelse var reserveret, men i stumper: allokatoren udvider sine segmenter i stedet for at "
        "tilføje nye",
    ),
    "torchrun": (
        "the script expects the variables that torchrun sets for each rank, and ran without: torchrun starts it now",
        "scriptet venter de variabler, som torchrun sætter for hver rank, og kørte uden: nu starter torchrun det",
    ),
    "smaller_batch": (
        "memory ran out with a batch of {before}: the batch is {to}",
        "hukommelsen slap op med en batch på {before}: batchen er {to}",
    ),
    "smaller_batch_kept": (
        "memory ran out with a batch of {before}: the batch is {to}, and gradients are accumulated {times} "
        "times as often, so that a step sees as many examples",
        "hukommelsen slap op med en batch på {before}: batchen er {to}, og gradienter akkumuleres {times} "
        "gange så ofte, så et trin ser lige så mange eksempler",
    ),
    "earlier_checkpoint": (
        "the checkpoint {old} is damaged or not whole: it starts from {new}, which is",
        "checkpointet {old} er beskadiget eller ikke helt: den starter fra {new}, som er helt",
    ),
    "smaller_micro_batch": (
        "memory ran out: micro-batch {micro} instead of {before}, which halves the activations and the "
        "logits, and gradients are accumulated {accumulated} times instead of {once}, so that a step sees as "
        "many tokens as before",
        "hukommelsen slap op: micro-batch {micro} i stedet for {before}, hvilket halverer aktiveringer og "
        "logits, og gradienter akkumuleres {accumulated} gange i stedet for {once}, så et trin ser lige så "
        "mange tokens som før",
    ),
    "fewer_checkpoints": (
        "the disk is full: 2 checkpoints are kept instead of {before}",
        "disken er fuld: 2 checkpoints beholdes i stedet for {before}",
    ),
}
"""By the cure."""

COSTS: Sentences = {
    "slow_learning": (
        "it learns more slowly",
        "den lærer langsommere",
    ),
    "frozen_gradients": (
        "gradients of frozen parameters take memory too",
        "gradienter af frosne parametre bruger også hukommelse",
    ),
    "root_gathers": (
        "their weights are gathered with the root's",
        "deres vægte samles sammen med rodens",
    ),
    "steps_again": (
        "the steps between the two are trained again",
        "trinnene mellem de to trænes igen",
    ),
    "lower_precision": (
        "that part computes in the lower precision",
        "den del regner i den lavere præcision",
    ),
    "all_reduce": (
        "one small all-reduce in each step",
        "én lille all-reduce i hvert trin",
    ),
    "hang_later": (
        "a real hang is noticed that much later",
        "at en kørsel virkelig hænger, opdages så meget senere",
    ),
    "left_out": (
        "the batches above that number are left out in each epoch",
        "batches over det antal udelades i hver epoke",
    ),
    "no_overlap": (
        "loading and training no longer overlap",
        "indlæsning og træning overlapper ikke længere",
    ),
    "small_matrices": (
        "smaller matrices use the device less well",
        "mindre matricer udnytter enheden dårligere",
    ),
    "third_more": (
        "about a third more computation in each step",
        "omkring en tredjedel mere beregning i hvert trin",
    ),
    "all_gather": (
        "one more all-gather for each block",
        "én all-gather mere for hver blok",
    ),
    "copies": (
        "each step waits for copies and a CPU optimizer",
        "hvert trin venter på kopier og en optimizer på CPU'en",
    ),
    "waits_saving": (
        "the training waits for each checkpoint",
        "træningen venter på hvert checkpoint",
    ),
    "more_disk": (
        "that much more of the disk",
        "tilsvarende mere af disken",
    ),
    "fewer_examples": (
        "a step sees one in {times} of the examples",
        "et trin ser hvert {times}. eksempel",
    ),
}
"""What a change costs."""

STARTS: Sentences = {
    "script": (
        "the script starts as it always does; it resumes where it finds checkpoints of its own",
        "scriptet starter, som det altid gør; det genoptager, hvor det finder sine egne checkpoints",
    ),
    "at_fault": (
        "what was saved is at fault itself, so it starts from the beginning",
        "det, der blev gemt, er selv fejlen, så den starter forfra",
    ),
    "none": (
        "there is no whole checkpoint to start from, so it starts from the beginning",
        "der er intet helt checkpoint at starte fra, så den starter forfra",
    ),
    "before_trouble": (
        "step {step} is the newest checkpoint from before step {trouble}, which went wrong",
        "trin {step} er det nyeste checkpoint fra før trin {trouble}, som gik galt",
    ),
    "newest": (
        "step {step} is the newest whole checkpoint, and the model and its optimizer keep their layout",
        "trin {step} er det nyeste hele checkpoint, og modellen og dens optimizer beholder deres opdeling",
    ),
    "review": (
        "the review found what explains it and how to mend it: {message}",
        "gennemgangen fandt det, der forklarer fejlen, og hvordan den rettes (fundet er på engelsk): {message}",
    ),
}
"""Where a run starts from and why; and what the review found."""
