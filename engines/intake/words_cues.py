"""Vocabulary of cues, in English and Danish: what a request wants, and what stands in its way."""

from collections.abc import Mapping

CUES: Mapping[str, tuple[str, ...]] = {
    # Something failed, by name.
    "error": (
        r"\w*(?:runtime|value|type|assertion|key|attribute|timeout|import|index|backend|memory|cuda|nccl)error",
        r"\w+error:|\w+exception\b|traceback|exitcode\s?:?\s?-?\d+|exit\scode\s-?\d+|sig(?:kill|term|segv|abrt)|signal\s\d+|segfault\w*|core\sdumped"
        r"|stack\s?trace",
        r"(?:watchdog|collective|rendezvous|heartbeat|nccl)\b.{0,60}time[\s-]?(?:d\s)?out\w*|timed\sout|time-?out(?:\sper|\sefter|error)?",
        r"out\sof\smemory|ooms?|oom'?(?:ed|s|ing|er|et)?|outofmemory\w*|løber\s(?:\w+\s){0,3}tør\sfor\s(?:\w+\s)?(?:hukommelse|ram|vram|memory)|løb\stør",
        r"unhandled\s(?:system|cuda)\serror|illegal\smemory\saccess|device-side\sassert\w*|no\sbackend\stype\sassociated",
        r"fejl(?:en|besked\w*|meddelelse\w*|kode\w*)",
    ),
    # Something failed, in words.
    "failure": (
        r"crash(?:es|ed|ing)?|crasher|died|dies|die[rd]?\b|dør|fails?|failed|failing|failures?|fejler|fejlede|går\s(?:\w+\s){0,2}ned|gik\sned"
        r"|abort(?:s|ed|er|erer)|killed|dræbt|broke[n]?\s?(?:down)?|breaks",
        r"hang(?:s|ing|ed)?|hung|stuck|stalls?|stalled|freez\w+|frozen\sup|deadlock\w*|hænger\w*|sidder\sfast|står\sstille|går\si\sstå|fryser|never\sreturns",
        r"error|errors|fejl",
        r"does(?:n't|\snot)\s(?:work|start|run|learn|converge|decrease|load|resume)|won't\s(?:start|load|run|resume|fit)|not\sworking|virker\sikke|starter\sikke"
        r"|vil\sikke\s(?:starte|loade|køre)",
        r"raises?|raised|kaster|throws|complains\sabout",
        r"drops\s\w+",
    ),
    # It runs, but wrongly.
    "misbehaves": (
        r"nans?|inf\b(?!iniband)|diverge[sd]?|divergerer|spik(?:e|es|ing)|loss\s(?:is|er)\s(?:flat|stuck|wrong|higher|constant|nan|0|zero|helt|for\shøj)|explod\w+"
        r"|eksploder\w*",
        r"(?:dropped|drops|fell|falls|halved|falder|faldt|halveret)\s(?:by|to|from|in|til|med|fra|when|når|efter)|(?:half|double|twice)\s(?:the|as)\s\w+\s(?:speed|slow|time)",
        r"(?:much|way|far|twice|times|x|suddenly|very)\s(?:slower|slow)|slower\sthan|langsom\w*|slow(?:ed)?\sdown|low\s(?:mfu|utili[sz]ation)",
        r"helt\sved\ssiden\saf|(?:loss|loss'en|loss-kurven)\s(?:\w+\s){0,3}(?:er|bliver|falder\sikke|stiger)|forkerte?\s(?:loss|resultat\w*|vægte)|skævt?"
        r"|mærkelig\w*",
        r"mismatch\w*|differ(?:s|ent)?\s(?:from|between|on|across)\s(?:ranks?|single|one|runs)|wrong\s(?:results?|loss|weights|shape)|garbage|corrupt\w*|ødelagt\w*"
        r"|not\s(?:decreasing|learning|improving|the\ssame)|memory\s(?:grows|leak\w*|keeps\sgrowing|vokser)|hukommelse\w*\svokser|stalls|plateaus?",
        r"(?:0|100)\s?%\s(?:gpu\s)?util\w*|idle\s(?:ranks|gpus)|doing\snothing",
    ),
    "plea": (
        r"(?:please|pls|plz)\s(?:help|triage|advise|debug|diagnose)|help!?|hjælp!?|any\sidea\w*|ideas\?|what(?:'s|\sis)\s(?:wrong|going\son|the\s(?:cause|problem))"
        r"|hvad\s(?:kan\sdet\svære|er\sder\s(?:galt|sket)|gør\svi\sgalt|skyldes|er\sårsagen)|why\s(?:is|does|did)\s(?:my|our|the|it|this)\b|root[\s-]cause|debug"
        r"|diagnos\w+|fejlsøg\w*|triage|find\sthe\sculprit|post-?mortem|hvorfor\s(?:fejler|crasher|hænger|går|dør|stopper)",
    ),
    "review": (
        r"(?:code\s)?review(?:\s(?:of|my|our|this|the))?|gennemgå\w*|gennemgang|gennemse\w*|audit|kvalitetssik\w*",
        r"(?:check|look\s(?:at|over|through)|go\sover|inspect|sanity[\s-]check|vet|proof)\s(?:\w+\s){0,2}?(?:my|our|this|these|the|attached|over)\b|look\sthis\sover"
        r"|look\sover\sthis",
        r"(?:kig|se|tjek|check)\s(?:\w+\s){0,2}?(?:på|igennem|efter|over)?\s?(?:vores|mit|min|den|det|denne|dette|disse|vedhæftede)\b",
        r"is\s(?:this|my|our|the)\b[^.?]{0,60}?(?:sane|ok(?:ay)?|right|correct|reasonable|sensible|fine|valid|good|safe|legit)\b|does\s(?:this|my|our)\s[^.?]{0,40}?look"
        r"\s(?:right|ok|okay|good|sane|correct)|looks?\sgood\s(?:to|\?)|lgtm",
        r"(?:any|spot|find|see)\s(?:obvious\s)?(?:mistakes?|bugs?|issues?|problems?|red\sflags|errors?|pitfalls?)|what(?:'s|\sis)\swrong\swith\s(?:this|my|our)\s(?:config\w*"
        r"|code|script|yaml|setup)|feedback\son|anything\s(?:wrong|missing|off)",
        r"fornuftig\w*|er\s(?:denne|dette|den|det|vores|min|mit)\s[^.?]{0,60}?(?:rigtig\w*|korrekt\w*|ok|i\sorden|forsvarlig\w*)|ser\s(?:\w+\s){0,5}?(?:rigtig\w*|fornuftig\w*|ok"
        r"|korrekt\w*)\s?(?:ud)?|er\sder\s(?:nogen\s|nogle\s)?(?:fejl|problemer|bugs|faldgruber)|noget\sgalt\s(?:med|i)",
    ),
    # What a review is about.
    "code_reference": (
        r"\w+\.(?:py|yaml|yml|slurm|sh|toml|json|ipynb)|config\w*|konfig\w*|yaml|scripts?(?:et)?|launch\s(?:line|command|script)|snippet|setup|opsætning\w*|code|kode\w*|diff|pr\s?#?\d*"
        r"|pull\srequest|attached|vedhæft\w*|wrap\w*|diff'en|notebook",
    ),
    # Asked to be done, not to be explained; imperative at the beginning of a clause.
    "run": (
        r"(?:^|[.,;:!?>\n]\s*|\b(?:please|pls|and|then|now|go\sahead\sand|just|can\syou|could\syou|kan\sdu|og|så|bare|venligst)\s)(?:kick\soff|start|launch|fire\s(?:up|off)|run|submit"
        r"|execute|begin|resume|restart|queue|schedule|spin\sup|train|fine-?tune|kør|start|sæt|igangsæt|genoptag|genstart|træn|finjust[eé]r|afvikl|udfør)\b(?!\s(?:into|out|håber|så)\b)",
        r"go\sahead|approved\sby|godkendt\saf|green\slight|sæt\s(?:\w+\s){0,6}?i\sgang|i\sgang\smed\sat\skøre|start(?:e|es)?\s(?:jobbet|træningen|kørslen)|the\sgo\b",
    ),
    # Something other than training is to be done.
    "do": (
        r"(?:^|[.,;:!?>\n]\s*|\b(?:please|pls|and|then|now|og|så)\s)(?:quanti[sz]e|deploy|convert|export|put|serve|host|benchmark|evaluate|merge|upload|kvantis[eé]r|deploy|konvert[eé]r|eksport[eé]r"
        r"|læg|udrul|upload|kør|host|evalu[eé]r|run|start|launch|spin\sup|set\sup|install)\b",
    ),
    "plan": (
        r"plan(?:s|ner|en)?\b|sizing|layout|lay\sout|strateg\w+|blueprint|proposal|forslag|anbefal\w*|recommend\w*|suggest(?:ion|ions)?|foreslå\w*",
        r"(?:do|does|will|would|should)\s(?:\w+\s){1,3}?(?:fit|need|use|migrate|switch|move|shard|hold|gain|benefit|buy|rent|go\sfor|modern\w+|bother|want)|fits?\b|feasib\w+|enough\s(?:memory|gpus|vram)"
        r"|is\s(?:it|that)\s(?:enough|possible|feasible|doable)|worth\s(?:it|the)|possible\sto|can\s(?:i|we)\s(?:\w+\s){0,3}?(?:fine-?tune|finetune|train|fit|run|do|q?lora)",
        r"(?:fsdp|ddp|hsdp|deepspeed|zero-?\d)\s?\d?\s(?:or|vs\.?|versus|eller)|(?:or|eller)\s(?:plain\s|ren\s)?(?:fsdp|ddp|hsdp|deepspeed)|fsdp\s?\d?\s?(?:yes/no|ja/nej|\?)|yes/no|ja\seller\snej",
        r"how\s(?:many|much)\s(?:\w+\s){0,4}?(?:gpus?|cards?|h100s?|a100s?|memory|vram|nodes)|hvor\s(?:mange|meget)\s(?:\w+\s){0,4}?(?:gpu\w*|kort|hukommelse|vram|noder|h100\w*|a100\w*)",
        r"(?:which|what)\s(?:\w+\s){0,2}?(?:config\w*|sharding|strategy|parallelism|setup|settings|cfg|options?)|my\soptions|muligheder|config\?|cfg\?|config\sasap|(?:final\s|endelige?\s)?(?:fsdp[\s-])?(?:sharding\s)?"
        r"(?:config\w*|konfiguration\w*)",
        r"(?:skal|bør|behøver|må|kan)\s(?:jeg|vi|der|man|den|det)\b|nødvendig\w*|giver\s(?:det|\w+)\smening|kan\s(?:det|den|\w+)\svære|er\sder\splads|passer\s(?:det|den)|noget\sat\shente|betaler\sdet\ssig"
        r"|hvad\ssiger\sdu|hvordan\sskal\s(?:vi|den|det|modellen)|lave?\sen\skonfiguration|regne\spå|vil\sgerne\s(?:træne|finjustere|finetune)|skal\s(?:finjustere|træne|finetune)",
        r"goal|mål(?:et)?\ser|requirement|want(?:s)?\sto\s(?:train|fine-?tune|finetune|scale|do|run\sa\s(?:full|lora))|need\sto\s(?:train|fine-?tune|finetune|post-?train|pre-?train)|we\s(?:plan|intend)\sto"
        r"|going\sto\s(?:train|fine-?tune)|planning\sto|asked\sto\s(?:train|fine-?tune|continue)|prepare|estimate\w*|estimer\w*|throughput\sto\sexpect",
    ),
    # How something works, whatever one's own job is.
    "concept": (
        r"(?:what(?:'s|\sis|\sare)|hvad\ser)\sthe?\s?(?:diff\w*|difference|forskel\w*|point|purpose|meaning|formål\w*|advantage)|difference\sbetween|diff\sbetween|forskel\w*",
        r"(?:how|why|when)\s(?:does|do|is|are|would|should\si|can|must|to)\b|what\s(?:does|happens|is|are|do|exactly)\b|explain|describe|meaning\sof|(?:does|do|is|are|can|will)\s(?:fsdp\d?|fully_shard|ddp|hsdp|zero"
        r"|torch\w*|dtensor|dcp|nccl|the\soptimizer|all\sranks|one|you)\b",
        r"(?:hvordan|hvorfor|hvornår)\s\w+|hvad\s(?:er|betyder|sker|gør|koster|indebærer)\b|forklar\w*|kan\sman\b|hvilken\srækkefølge|hvad\sforstås|er\sdet\srigtigt,?\sat|må\sman",
        r"(?:if|hvis)\s(?:i|we|you|jeg|vi|man)\b.{0,80}\b(?:can|may|will|does|kan|må|vil)\s(?:i|we|you|it|jeg|vi|man|det)\b|is\sit\s(?:true|ok|safe|allowed|supported)|does\sit\smatter|required\sto|supported|understøtte\w*",
    ),
    "question": (r"\?",),
    "question_start": (
        r"^\W*(?:(?:hi|hello|hey|hej|dear)\b[^.!?\n]{0,30}[.,!]\s*)?(?:what|why|how|when|which|who|where|does|do|is|are|can|could|should|will|would|has|have|if|hvad|hvorfor|hvordan|hvornår|hvilke[nt]?|hvor|hvem"
        r"|er|kan|skal|må|findes|har|bør|hvis)\b",
    ),
    # Nothing is trained now, nor by any date.
    "no_training": (
        r"(?:no|not\sany|zero|without\sany|nor\sany)\s(?:(?:active|current|concrete|planned|actual|multi-gpu|model|own|in-house|ongoing|firm)\s){0,3}(?:training|fine-?tuning|finetuning|training\sjobs?|training\sruns?)\b(?!\s(?:data|loss"
        r"|progress|script|error|loop|step))",
        r"(?:training|fine-?tuning|finetuning|fine-?tune|plan|project|job|it)\b[^.;\n]{0,40}?\b(?:postponed|on\shold|deferred|cancell?ed|shelved|paused|on\sice|called\soff|pushed\sback|dropped\sfor\snow|not\s(?:yet\s)?(?:planned"
        r"|scheduled|decided|funded|started|approved|budgeted))",
        r"none\s(?:is\s|are\s)?(?:planned|scheduled)|no\splans?\s(?:to|for|yet)|not\splanning\s(?:to|any)|(?:don't|do\snot|won't|will\snot)\s(?:currently\s)?(?:plan|intend|expect)?\s?(?:to\s|on\s)?(?:train|fine-?tune|finetune)\w*"
        r"|nothing\s(?:is\s)?(?:to\strain|planned|scheduled|in\sthe\spipeline)|not\s(?:currently\s)?(?:training|fine-?tuning)\s(?:anything|any|yet|now)|never\strained",
        r"(?:we|they|i|and|perhaps|maybe)\s(?:may|might|could)\s(?:(?:eventually|someday|one\sday|later|also|want\sto|at\ssome\spoint)\s){0,3}(?:train|fine-?tune|finetune|need\sto\strain)\b|(?:some\s?day|eventually|at\ssome\spoint|one\sday|in\sthe"
        r"\s(?:distant\s)?future|next\syear|in\s20\d\d|long[\s-]term)\b[^.;\n]{0,40}?\b(?:train|fine-?tun|finetun)\w*",
        r"(?:train|fine-?tun|finetun)\w*\b[^.;\n]{0,40}?\b(?:some\s?day|eventually|at\ssome\spoint|one\sday|in\sthe\s(?:distant\s)?future|not\sbefore|before\sq[1-4])|still\s(?:labell?ing|collecting|annotating)|exploring\s(?:ideas|whether)",
        r"ingen\s(?:\w+\s){0,2}?(?:træning|finjustering|finetuning|træningsjobs?|træningskørsler|træningsplaner|planer\som\s(?:at\s)?(?:træn|finjust|finetun)\w*)|(?:træner|finjusterer|finetuner)\s(?:vi\s)?(?:slet\s)?ikke|(?:hverken\s)træner",
        r"(?:træning|finjustering|finetuning|projekt|job|plan)\w*\b[^.;\n]{0,40}?\b(?:udskudt|udsat|sat\si\sbero|sat\spå\s(?:pause|standby)|aflyst|droppet|skrinlagt|på\spause|ikke\s(?:\w+\s){0,2}?(?:planlagt|besluttet|i\sgang|begyndt|bevilget))",
        r"ikke\s(?:\w+\s){0,2}?(?:planlagt|planer\som)\s(?:\w+\s){0,3}?(?:træn|finjust|finetun)\w*|(?:måske|eventuelt|på\ssigt|engang|på\set\stidspunkt|til\snæste\sår|næste\sår|i\sfremtiden)\b[^.;\n]{0,50}?(?:træn|finjuster|finetun)\w*"
        r"|(?:træn|finjuster|finetun)\w*\b[^.;\n]{0,50}?(?:på\ssigt|engang|på\set\stidspunkt|til\snæste\sår|tidligst)|samler\s(?:stadig\s)?data|annoterer\sstadig",
    ),
    # Whether to keep or install the specialist itself.
    "standby": (
        r"(?:keep|kept|keeping|held|hold(?:es|e)?)\b[^.;\n]{0,60}?(?:warm|ready|loaded|on\sstandby|standby|running|klar|varm)|should\s(?:\w+\s){0,3}?install|install(?:ere|eres)?\b[^.;\n]{0,30}(?:agent|fsdp)|part\sof\sthe\s(?:agent|pipeline|stack)"
        r"|(?:fsdp-?agent\w*|specialist\w*|distributed[\s-]training\s(?:agent|specialist))|med\si\spipelinen",
    ),
    # GPUs that are not there.
    "hardware_absent": (
        r"(?:gpus?|hardware|cluster|machines?|cards?|servers?|nodes|order)\b[^.;\n]{0,50}?\b(?:arriv\w+|deliver\w+|not\s(?:yet\s)?(?:here|bought|ordered|placed|available|decided|delivered|arrived)|on\sorder|ordered|back-?order\w*|cancell?ed|procur\w+"
        r"|in\s(?:about\s)?(?:a\sfew|\w+)\smonths)|procurement|(?:gpu|hardware)\sbudget\s(?:is\s)?not",
        r"(?:no|without(?:\sany)?|don't\s(?:yet\s)?have(?:\sany)?|do\snot\s(?:yet\s)?have(?:\sany)?|haven't\s(?:got|bought)(?:\sany)?|have\sno)\s(?:\w+\s){0,2}?(?:gpus?|hardware|cluster|servers?)\b|(?:type|count|number)\s(?:is\s)?unknown",
        r"(?:gpu\w*|hardware\w*|kort\w*|klynge\w*|maskine\w*|server\w*|ordre\w*)\b[^.;\n]{0,50}?\b(?:bestilt|leveres|ankommer|kommer\s(?:først|om|til)|ikke\s(?:\w+\s)?(?:købt|her|kommet|leveret|bestilt|valgt)|på\svej|i\sordre|afbestilt|annulleret)"
        r"|indkøb\w*",
        r"(?:ingen|har\sikke(?:\s(?:nogen|endnu))?|mangler|uden)\s(?:\w+\s){0,2}?(?:gpu\w*|hardware|kort|klynge)\b|(?:hverken\s)?hvor\smange\seller\shvilken",
    ),
    # Sharding is meant to take the states of a model that one GPU does not hold.
    "too_big_for_one": (
        r"(?:too\s(?:big|large)\sfor|won't\sfit|does(?:n't|\snot)\sfit|can(?:'t|not)\sfit|exceeds?)\s(?:\w+\s){0,3}?(?:one|a\ssingle|single|1)\s(?:\w+\s){0,2}?(?:gpu|card)|for\sstor\stil\s(?:ét|én|et|en)\s(?:\w+\s)?(?:kort|gpu)|kan\sikke\svære\s(?:på|i)\s(?:ét|én|et|en)",
    ),
    "adapter_ok": (r"lora\s(?:is|er|would\sbe|ville\svære)\s(?:ok|fine|okay|fint|en\smulighed|an\soption|acceptable)|(?:or|eller)\sq?lora|q?lora\s(?:or|eller)",),
}
