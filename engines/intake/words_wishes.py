"""Vocabulary of what is wanted; notation as in `words_topics`.

The tables of `ORDERS` bring their own boundaries and see line ends: an order stands at the
beginning of a clause.
"""

from collections.abc import Mapping

WISHES: Mapping[str, str] = {
    "review": r"""
        (code )?review(?! of the literature) | gennemgå\w* | gennemgang | gennemse\w* | audit | kvalitetssik\w* | lgtm | looks? good( to|\?) | proof-?read (this|my|our)
        (check|look (at|over|through)|go over|inspect|sanity[ -]?check|vet|validate|verify) (\w+ ){0,2}?(my|our|this|these|the|attached|over) | look (this|it) over | look over this
        (kig(ge)?|se|tjek(ke)?|check(e)?) (\w+ ){0,2}?(på |igennem |efter |over )?(vores|mit|min|mine|den|det|denne|dette|disse|vedhæftede)
        is (this|my|our|the)( [^.?]{0,60}?)? (sane|ok|okay|right|correct|reasonable|sensible|fine|valid|good|safe|legit) | does (this|my|our) [^.?]{0,40}?look (right|ok|okay|good|sane|correct|reasonable)
        (any|spot|find|see) (obvious )?(mistakes?|bugs?|issues?|problems?|red flags|errors?|pitfalls?) | what('s| is) wrong with (this|my|our) (config\w*|code|script|yaml|setup)
        feedback on | anything (wrong|missing|off) | (is )?anything missing | second opinion | like this | (is it|er det) (a mistake|en fejl) (to|at) | som her | sådan her | (a pair of |some )?eyes on | (et par )?øjne på | unsure about | not sure (about|if|whether) | usikker på | look at it | critical(ly)? | kritisk\w* | tell me (if|whether|what) | let me know (if|whether) | please check | tjek venligst | before we merge
        fornuftig\w* | er (denne|dette|den|det|vores|min|mit) [^.?]{0,60}?(rigtig\w*|korrekt\w*|ok|i orden|forsvarlig\w*)
        ser (\w+ ){0,5}?(rigtig\w*|fornuftig\w*|ok|korrekt\w*)( ud)? | er der (nogen |nogle )?(fejl|problemer|bugs|faldgruber) | noget galt (med|i) | i den rigtige rækkefølge | igennem for fejl
    """,
    # What a review is about.
    "code_reference": r"""
        \w+\.(py|yaml|yml|slurm|sh|toml|json|ipynb) | config\w* | \w+-config | konfig\w* | yaml | scripts? | scriptet | launch (line|command|script) | snippet | setup | opsætning\w* | \w+-opsætning
        code | kode\w* | diff | diff'en | pr ?#?\d+ | pull request | attached | vedhæft\w* | wrap\w* | notebook | settings | indstillinger\w* | sbatch\w* | policy
    """,
    "plan": r"""
        plan(s|ner|en)? | sizing | size an? | (please )?size the | layout | lay out | (memory )?breakdown | strateg\w+ | blueprint | proposal | forslag | anbefal\w* | recommend(s|ation)?\w* | suggest(ion|ions)? | foreslå\w*
        (do|does|will|would|should) (\w+ ){1,3}?(fit|need|use|migrate|switch|move|shard|hold|gain|benefit|buy|rent|go for|modern\w+|bother|want) | fits? | feasib\w+ | realistic | doable | go/no-go
        enough (memory|gpus|vram) | is (it|that) (enough|possible|feasible|doable) | worth (it|the) | possible to | (?<!how )can (i|we) (\w+ ){0,3}?(fine-?tune|finetune|train|fit|run|do|q?lora) | muligt\?
        (fsdp|ddp|hsdp|deepspeed|zero-?\d) ?\d? (or|vs\.?|versus|eller) | (or|eller) (plain |ren )?(fsdp|ddp|hsdp|deepspeed) | yes/no | ja eller nej | ja/nej | hsdp\?
        how (many|much) (\S+ ){0,4}?(gpus?|cards?|h100s?|a100s?|vram|nodes) | hvor mange (\S+ ){0,4}?(gpu\S*|kort|noder|h100\S*|a100\S*)
        (which|what|hvilken|hvilke) (\w+ ){0,2}?(config\w*|konfiguration\w*|sharding|strategy|strategi|parallelism|setup|opsætning|settings|cfg|options?|layout) | my options | muligheder | config\? | cfg\? | config asap
        (final|endelige?|prepare|write|need|give me|give us|lave?|skrive?|want|fix|what) (\w+ ){0,4}?(config\w*|konfiguration\w*|yaml|opsætning) | fsdp\d?[ -](config\w*|konfig\w*|opsætning|setup)
        (skal|bør|behøver|må|kan) (jeg|vi|der|modellen|en) | nødvendig\w* | giver (det|\w+) mening | giver \w+ (noget|meget) | kan (det|den|\w+) være | er der plads | passer (det|den) | noget at hente | betaler det sig
        hvad siger du | hvordan (skal|bør) (vi|modellen|\S+) | lave? en konfiguration | regne på | vil gerne (træne|finjustere|finetune) | (vil|skal) (\w+ )?(finjustere|træne|finetune|fortræne|efteruddanne) | er sharding relevant
        goal | mål(et)? er | requirement | wants? to (train|fine-?tune|finetune|scale|do|run a (full|lora)) | need to (train|fine-?tune|finetune|post-?train|pre-?train) | we (plan|intend) to | asked to (train|fine-?tune|continue)
        going to (train|fine-?tune) | planning to | prepare | estimate\w* | estimer\w* | throughput to expect | i need any sharding | fsdp\d? (needed|required|nødvendig\w*) | is fsdp (how|the answer|the way|useful|required|needed)
        (setup|opsætning\w*|config\w*|konfiguration\w*) (for|til) (our|my|the|a|vores|min|mit|en|et) | where do (i|we) put | what would you use | sharding group size
    """,
    # How something works, whatever one's own job is.
    "concept": r"""
        (what('s| is| are)|hvad er) (the |den )?(diff\w*|difference|forskel\w*|point|purpose|meaning|formål\w*|advantage) | diff(erence)? between | forskel\w* | explain | explanation | describe | meaning of | forklar\w* | overview
        (how|why|when) (does|do|is|are|would|should i|can|must|to) | what (does|happens|is|are|do|exactly|replaced) | how (much|many) (\w+ ){0,3}?(communication|overhead|bandwidth|traffic) | (does|do|is|are|can|will) (fsdp\d?|fully_shard|ddp|hsdp|zero|torch\w*|dtensor|dcp|nccl|the optimizer|all ranks|one|you)
        hvordan \w+ | hvorfor | hvornår | hvad (er|betyder|sker|gør|koster|indebærer) | hvor meget (ekstra )?(hukommelse|kommunikation|båndbredde) | kan man | skal man | må man | hvilken rækkefølge | hvad forstås | er det rigtigt,? at
        (if|hvis) (i|we|you|jeg|vi|man)\b.{0,80}\b(can|may|will|does|kan|må|vil) (i|we|you|it|jeg|vi|man|det) | is it (true|ok|safe|allowed|supported) | does it matter | required to | supported | understøtte\w* | quick (one|question) | do i still
    """,
    # Whether to keep or install the specialist itself.
    "standby": r"""
        (keep|kept|keeping|held|hold(es|e)?)\b[^.;]{0,60}?\b(warm|ready|loaded|on standby|standby|running|klar|varm) | should (\w+ ){0,3}?install | install(ere|eres)?\b[^.;]{0,30}\b(agent|fsdp) | part of the (agent|pipeline|stack)
        fsdp-?agent\w* | (fsdp[ -])?specialist\w* | distributed[ -]training (agent|specialist) | med i pipelinen | onboard | provision\w*
    """,
}

ORDERS: Mapping[str, str] = {
    "run": r"""
        (^|[.;:!?>\n]\s*|\b(please|pls|go ahead and|can you|could you|kan du|bare|venligst|now|just|ok|okay) )(kick off|start|launch|fire (up|off)|run|submit|execute|begin|resume|restart|queue|schedule|spin up|kør|start|igangsæt|genoptag|genstart|afvikl|udfør|sæt(?=[^.!?\n]{1,60} i gang))\b(?!-| (fails?|failed|failing|hangs?|crash\w*|died|dies|is|was|of|command|script|line|error|errors|time|with|by|from|into|out|numbers|the numbers|fejler|hænger|går|igennem|tallene|\d+ (is|was|died|crashed|failed|hangs|er|har)))
        (^|[.,;:!?>\n]\s*|\b(and|then|og|så) )(kick off|launch|submit|igangsæt|fire (up|off)) (the|our|my|it|this|a|den|det|vores|jobbet|træning\w*)\b
        \bgo ahead and (start|run|launch|train)\b | \bapproved by\b | \b(user|owner|customer) approved\b | \bgodkendt af\b | \bgreen light\b | \b(it|planen|plan) (is |er |was |blev )?(approved|godkendt)\b | , (start|run|launch|kør) (it|this|den|det)\b | \bi gang med at køre\b | (^|[.!?\n] ?)(start|kør) (jobbet|træningen|kørslen|finjustering\w*)\b
    """,
    "train_order": r"""
        (^|[.;:!?>\n]\s*|\b(please|pls) )(train|fine-?tune|finetune|træn|finjust[eé]r) (the|our|my|a|this|it|den|det|vores|en)\b
    """,
    # Something other than training is to be done.
    "do": r"""
        (^|[.,;:!?>\n]\s*|\b(please|pls|and|then|now|og|så) )(quanti[sz]e|deploy|convert|export|put|serve|host|benchmark|evaluate|merge|upload|kvantis[eé]r|konvert[eé]r|eksport[eé]r|læg|udrul|kør|evalu[eé]r|run|start|launch|spin up|set up|install)\b
    """,
    # Office work ordered, whatever it is about.
    "errand": r"""
        ^\W*(please |pls )?(create|book|send|write|draft|schedule|translate|summari[sz]e|order|remind|forward|archive|clean|buy|make|file|unsubscribe|cancel|invite|call|opret|skriv|bestil|lav|oversæt|påmind|slet|afmeld|inviter|ring|køb)\b
    """,
    "question": r"""
        (?<!=)\?(?=[\s"')\]]|$)
    """,
    "question_start": r"""
        ^\W*((hi|hello|hey|hej|dear|quick one)\b[^.!?\n]{0,30}[.,!:]\s*)?(what|why|how|when|which|who|where|does|do|is|are|can|could|should|will|would|has|have|in fsdp\d?|explain|hvad|hvorfor|hvordan|hvornår|hvilke[nt]?|hvor|hvem|er|kan|skal|må|findes|har|bør|hvis|bliver|forklar|if)\b
    """,
}
