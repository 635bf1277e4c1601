"""Sentences of the need gate in Danish, with the keys of `texts_en`; terms stay English."""

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "method_assumed": "Metoden er ikke oplyst; dette gælder træning af alle vægte.",
    "memory_assumed": "Hukommelsen på én GPU er ikke oplyst; der regnes med {mem}.",
    "states_full": "Fuld træning med AdamW i mixed precision holder 16 bytes pr. parameter (vægte 2 + gradienter 2 + "
    "fp32 master weights 4 + Adam-momenter 4 + 4): {params} x 16 = {states_own} model states.",
    "states_full_otherwise": "Fuld træning med {optimizer} i mixed precision holder {bytes} bytes pr. parameter (vægte "
    "2 + gradienter 2 + fp32 master weights 4 + optimizerens tilstand {state_bytes}): {params} x {bytes} = "
    "{states_own} model states.",
    "states_lora": "LoRA holder de frosne bf16-vægte (2 bytes pr. parameter) og adaptere med deres states (ca. 1 % af "
    "parametrene x 16 bytes = 0,16): {params} x {bytes} = {states_own} model states.",
    "states_qlora": "QLoRA holder de frosne vægte i 4 bit (ca. 0,55 bytes pr. parameter) og adaptere med deres states "
    "(ca. 0,16): {params} x {bytes} = {states_own} model states.",
    "states_frozen": "Den frosne anden model lægger {frozen} til i bf16 (2 bytes pr. parameter): {states} i alt.",
    "states_exceed": "Én GPU har {mem}, hvoraf ca. {usable} kan bruges: det kan ikke være på én.",
    "activations_exceed": "De kan være på én GPU med {mem}, men aktiveringerne for {batch} x {seq_len} tokens lægger "
    "ca. {activations} til, selv med checkpointing: {one_gpu} er mere end de {usable}, der kan bruges.",
    "activations_second": "Aktiveringerne for {batch} x {seq_len} tokens fylder ca. {activations} pr. GPU selv med "
    "checkpointing: det andet problem efter model states, og sharding gør dem ikke mindre.",
    "sharded": "Shardet over {gpus} GPU'er er det {sharded} på hver.",
    "fits": "Med ca. {activations} aktiveringer ({batch} x {seq_len} tokens, checkpointing) er det {one_gpu}: det kan "
    "være på én GPU med {mem}.",
    "ddp_exceeds": "Én GPU alene kunne holde det ({one_gpu}), men en replika under DDP holder 6 bytes pr. parameter "
    "mere (gradient-buckets 4, autocasts bf16-kopier 2): {replica} er mere end de {usable} af {mem}, der kan bruges.",
    "ddp": "Hver af de {gpus} GPU'er kan holde en hel replika: DDP skalerer hastigheden med mindre kommunikation end "
    "FSDP, der skal samle parametrene for hver blok.",
    "single_gpu": "Der er kun én GPU: med en enkelt rank er der intet at sharde over.",
    "more_than_fsdp": "Selv shardet over alle {gpus} GPU'er er det ca. {per_gpu} på hver (states {sharded}, samlede "
    "blokke {gathered}, aktiveringer ca. {activations}) af {usable} brugbare: der skal flere GPU'er, CPU offload, en "
    "8-bit optimizer, LoRA eller tensor/context parallelism til.",
    "logits": "Heraf fylder logits og loss {logits}: 12 bytes x {batch} x {seq_len} tokens x {vocabulary} indgange i "
    "ordforrådet.",
    "logits_assumed": "Heraf fylder logits og loss {logits}: 12 bytes x {batch} x {seq_len} tokens x {vocabulary} "
    "indgange i ordforrådet, et typisk tal, som antages.",
    "logits_remedy": "Et fused eller chunked loss holder dem aldrig hele, og context parallelism deler sekvensen.",
    "oom_on_one": "Jobbet løber tør for hukommelse på én GPU, og der er flere: at dele model states er netop FSDP.",
    "large_model": "Modelstørrelse eller GPU-hukommelse er ikke oplyst, men der trænes over flere GPU'er med en "
    "shardet model for øje; de manglende tal afgør konfigurationen.",
    "nothing_to_shard_over": "Model states kan ikke være der, og der er ingen anden GPU at sharde over.",
    "hardware_absent": "Der er endnu ingen multi-GPU-hardware, som en konfiguration kan beregnes for.",
    "accelerator_tpu": "TPU'er drives af torch_xla, som har sin egen FSDP: intet af det, der beregnes her, for torchs "
    "FSDP på GPU'er med CUDA eller ROCm, gælder for dem.",
    "accelerator_mps": "Apples GPU (MPS) er én enhed, ikke flere med CUDA eller ROCm: der er intet at sharde over.",
    "accelerator_other": "Denne accelerator drives af producentens egen backend, ikke af CUDA eller ROCm: hverken "
    "hukommelse eller hastighed beregnes for den her.",
    "adapters_on_one": "Adaptere trænes på frosne vægte, og der er kun én GPU.",
    "failure": "Et distribueret træningsjob fejler eller opfører sig forkert: det er specialistens opgave.",
    "failure_single": "Jobbet kører på én GPU: hukommelsen går til aktiveringer og batch, ikke til states, der kunne "
    "shardes. Mindre batch, mixed precision og activation checkpointing hjælper.",
    "review": "Kode eller konfiguration til shardet træning: en gennemgang er specialistens opgave.",
    "question": "Et spørgsmål om distribueret eller shardet træning: besvares fra videnskortene med kildehenvisning.",
    "no_training": "Ingen træning eller finjustering er i gang eller planlagt: der er intet at sharde endnu.",
    "no_information": "Hverken modelstørrelse eller hardware er kendt: der er intet at regne på.",
    "inference": "Det er inferens, serving, evaluering eller konvertering af en færdig model: intet trænes.",
    "provider": "Det er et valg mellem udbydere eller tilbud.",
    "hosted": "Det handler om at bruge en hostet model eller træningstjeneste: dens ejer driver GPU'erne.",
    "automation": "Det er almindelig agent-, workflow- eller kontorautomatisering, ikke distribueret træning.",
    "unrelated": "Det har ikke noget med distribueret træning at gøre.",
    "run_asked": "Der bedes om dette job på {ranks} ranks med model og data angivet.",
    "run_asked_one": "Der bedes om dette job på én rank med model og data angivet.",
    "trials_asked": "Der bedes om forsøg med op til {trials} konfigurationer af denne model; ranks: {ranks}.",
    "run_script": "Der bedes om at køre det angivne script.",
    "run_sharded": "Shardet over {ranks} ranks er model states {per_rank} på hver.",
    "run_not_by_memory": "Hukommelsen alene kræver ikke sharding her; jobbet køres, fordi der bedes om det.",
    "run_one_rank": "Med én rank shardes intet: opskriften kører, men sparer ingen hukommelse.",
    "lora_run": "Den indbyggede opskrift træner alle vægte; en LoRA-kørsel kræver jeres eget script.",
}

INSTEAD: Mapping[str, str] = {
    "one_gpu": "Træn på én GPU uden sharding; er der hukommelse tilovers, så hæv batch.",
    "ddp": "Brug DDP (DistributedDataParallel under torchrun) med én replika pr. GPU, eller en enkelt GPU.",
    "lora_one_gpu": "Træn med LoRA eller QLoRA på én GPU med activation checkpointing.",
    "lora_ddp": "Træn med LoRA på én GPU; for hastighed DDP med én replika pr. GPU.",
    "more_gpus": "Vent på flere GPU'er, eller tillad LoRA eller QLoRA.",
    "single_oom": "Sænk batch eller inputstørrelse, brug mixed precision og activation checkpointing, og akkumulér "
    "gradienter.",
    "revisit": "Vend tilbage, når et trænings- eller finjusteringsjob er planlagt: modelstørrelse, metode, GPU'er og "
    "sekvenslængde.",
    "tell_more": "Svar på spørgsmålene; afgørelsen følger af tallene.",
    "hardware_first": "Vend tilbage, når GPU'ernes antal, type og hukommelse og modelstørrelsen ligger fast.",
    "other_accelerator": "Vend tilbage med GPU'er med CUDA eller ROCm (antal, type, hukommelse), eller følg "
    "dokumentationen af acceleratorens backend.",
    "inference": "Spørg en serving-specialist (vLLM, SGLang, llama.cpp og lignende).",
    "provider": "Sammenlign tilbuddenes pris, kvalitet og vilkår; denne specialist har ingen data om dem.",
    "hosted": "Følg den hostede tjenestes dokumentation.",
    "automation": "Spørg den almindelige assistent eller workflow-værktøjet (LangGraph, n8n og lignende).",
    "unrelated": "Spørg et andet sted: denne specialist svarer på spørgsmål om træning af modeller på flere GPU'er.",
}

QUESTIONS: Mapping[str, str] = {
    "model_size": "Hvor mange parametre har modellen?",
    "model": "Hvilken modelmappe (config.json, safetensors, tokenizer) skal trænes?",
    "data": "Hvilken JSONL-fil har træningseksemplerne?",
    "method": "Hvilke vægte trænes: alle (full), LoRA eller QLoRA?",
    "gpus": "Hvor mange GPU'er er der i alt?",
    "nodes": "Over hvor mange maskiner er GPU'erne fordelt?",
    "gpu_memory_of": "Hvor meget hukommelse har én {gpu}?",
    "gpu_memory": "Hvilken GPU er det, og hvor meget hukommelse har én?",
    "seq_len": "Hvor mange tokens har en sekvens?",
    "batch_per_gpu": "Hvor mange sekvenser pr. GPU og micro-step?",
    "interconnect": "Hvad forbinder noderne (InfiniBand, RoCE, Ethernet; Gbit/s)?",
    "activation_checkpointing": "Må aktiveringer genberegnes (activation checkpointing)?",
    "torch_version": "Hvilken torch-version er det?",
    "logs": "Hvad siger alle ranks' logs fra den første fejl og frem?",
    "code": "Hvilket script eller hvilken konfiguration er det (fil eller tekst)?",
    "hardware_date": "Hvornår er GPU'erne der, og hvilke er det?",
    "more_gpus": "Kan der skaffes flere GPU'er, og hvornår?",
    "lora_allowed": "Må LoRA eller QLoRA alligevel bruges?",
    "training_date": "Er multi-GPU-træning planlagt, og hvornår?",
    "conflict": "{name}: {first} modsiger {second}. Hvad gælder?",
    "two_readings": "{name}: læst som {first}; en sprogmodel læser {second}. Hvad gælder?",
    "second_reading": "{name}: en sprogmodel læser {second}. Er det rigtigt?",
}

ASSUMED: Mapping[str, str] = {
    "method": "full (16 bytes pr. parameter)",
    "nodes": "én maskine",
    "nodes_several": "{machines} maskiner med {each} GPU'er",
    "gpu_memory": "{mem} pr. GPU",
    "seq_len": "{seq_len} tokens",
    "batch_per_gpu": "{batch} pr. GPU",
    "activation_checkpointing": "ja, hver blok",
    "interconnect": "InfiniBand eller RoCE med 200 Gbit/s eller mere",
    "torch_version": "den installerede",
    "not_stated": "ikke oplyst",
}

NAMES: Mapping[str, str] = {
    "intent": "Hvad der ønskes",
    "model": "Model",
    "params_b": "Modelstørrelse",
    "gpus": "Antal GPU'er",
    "nodes": "Antal maskiner",
    "gpu_type": "GPU-type",
    "gpu_mem_gb": "Hukommelse pr. GPU",
    "seq_len": "Sekvenslængde",
    "batch": "Batch pr. GPU",
    "method": "Metode",
}
