"""Vocabulary of what is wanted; notation as in `words_topics`."""

from collections.abc import Mapping

WISHES: Mapping[str, str] = {
    "review": r"""
        (code )?review(?! of the literature) | gennemgå\w* | gennemgang | gennemse\w* | audit | kvalitetssik\w* | lgtm
        looks? good( to|\?) | proof-?read (this|my|our)
        (check|look (at|over|through)|go over|inspect) (\w+ ){0,2}?(my|our|this|these|the|attached|over)
        (sanity[ -]?check|vet|validate|verify) (\w+ ){0,2}?(my|our|this|these|the|attached|over) | look (this|it) over
        double-?check | cross-?check | dobbelttjek\w* | efterse\w* | lint
        (check|looks? (at|over|through)|go over|inspect) \S+\.(py|ya?ml|sh|slurm|sbatch|toml|json|ipynb)
        (have|take) (a|another) (\w+ )?(look|glance|peek) (at|over|through) (\w+ ){0,2}?(my|our|this|these|the)
        (have|take) (a|another) (\w+ )?(look|glance|peek) (at|over|through) \S+\.(py|ya?ml|sh|slurm|toml|json)
        (kig(ge)?|se|tjek(ke)?|gå|læs(e)?) (\w+ ){0,2}?(på|igennem|efter|over) \S+\.(py|ya?ml|sh|slurm|toml|json)
        (kaste?|tage?) (et|lige et) (\w+ )?(blik|kig) på
        look over this
        (kig(ge)?|se|tjek(ke)?|check(e)?) (\w+ ){0,2}?(på |igennem |efter |over )?(vores|mit|min|mine|den)
        (kig(ge)?|se|tjek(ke)?|check(e)?) (\w+ ){0,2}?(på |igennem |efter |over )?(det|denne|dette|disse|vedhæftede)
        is (this|my|our|the)( [^.?]{0,60}?)? (sane|ok|okay|right|correct|reasonable)
        is (this|my|our|the)( [^.?]{0,60}?)? (sensible|fine|valid|good|safe|legit)
        does (this|my|our) [^.?]{0,40}?look (right|ok|okay|good|sane|correct|reasonable)
        does (this|that|my|our|the) [^.?]{0,40}?(make sense|hold( up)?|work out|sound)
        giver (det her|den her|dette) mening
        (any|spot|find|see) (obvious )?(mistakes?|bugs?|issues?|problems?|red flags|errors?|pitfalls?)
        what('s| is) wrong with (this|my|our) (config\w*|code|script|yaml|setup) | feedback on
        anything (wrong|missing|off) | (is )?anything missing | second opinion
        (attached|vedhæftede?)(?! (log|trace|output|error)) | (a )?bad idea | best practice | thoughts on
        any thoughts | like this | (is it|er det) (a mistake|en fejl) (to|at) | som her | sådan her
        (a pair of |some )?eyes on | (et par )?øjne på | unsure about | not sure (about|if|whether) | usikker på
        look at it | critical(ly)? | kritisk\w*
        (check|verify|see|tjek(ke)?|vurd[eé]re?r?) (if|whether|om|at|venligst|denne) | tell me (if|whether|what)
        let me know (if|whether) | please check | tjek venligst | before we merge | fornuftig\w*
        er (denne|dette|den|det|vores|min|mit) [^.?]{0,60}?(rigtig\w*|korrekt\w*|ok|i orden|forsvarlig\w*)
        ser (\w+ ){0,5}?(rigtig\w*|fornuftig\w*|ok|korrekt\w*)( ud)?
        er der (nogen |nogle )?(fejl|problemer|bugs|faldgruber) | noget (galt|forkert) (med|i|ved)
        i den rigtige rækkefølge | igennem for fejl
    """,
    # What a review is about.
    "code_reference": r"""
        \w+\.(py|yaml|yml|slurm|sh|toml|json|ipynb) | config\w* | \w+-config | konfig\w* | yaml | scripts? | scriptet
        launch (line|command|script) | snippet | setup | opsætning\w* | \w+-opsætning | code | kode\w* | diff
        diff'en | pr ?#?\d+ | pull request | attached | vedhæft\w* | wrap\w* | notebook | settings | indstillinger\w*
        sbatch\w* | policy
    """,
    # A job of one's own, not the technique in general.
    "own_project": r"""
        (our|my|vores|min|mit) (\w+ )?(model|models|modeller|project|projekt|training)
        (our|my|vores|min|mit) (\w+ )?(træning|setup|cluster|klynge|llm|job|team)
        (our|my|vores|min|mit) (\w+ )?(fine-?tun\w+|finetun\w+|finjust\w+|run|kørsel|pipeline)
    """,
    "plan": r"""
        plan(s|er|en|ner for)? | sizing | size an? | (please )?size the | layout | lay out | (memory )?breakdown
        strateg\w+ | blueprint | proposal | forslag | anbefal\w* | recommend(s|ation)?\w* | suggest(ion|ions)?
        foreslå\w* | (do|does|will|would|should) (\w+ ){1,3}?(fit|migrate|switch|move|shard|hold)
        (do|does|will|would|should) (\w+ ){1,3}?(need|use|require) ([^ _]+ ){0,3}?(fsdp|ddp|hsdp)\S*
        (do|does|will|would|should) (\w+ ){1,3}?(need|use|require) ([^ _]+ ){0,3}?(deepspeed|zero|tp)\S*
        (do|does|will|would|should) (\w+ ){1,3}?(need|use|require) ([^ _]+ ){0,3}?(shard|gpu|card)\S*
        (do|does|will|would|should) (\w+ ){1,3}?(need|use|require) ([^ _]+ ){0,3}?(node|offload|lora|qlora)\S*
        (do|does|will|would|should) (\w+ ){1,3}?(need|use|require) (it|this|more|all)
        (do|does|will|would|should) (\w+ ){1,3}?(gain|benefit|buy|rent|go for|modern\w+|bother|want) | fits?
        feasib\w+ | realistic | doable | go/no-go | enough (memory|gpus|vram)
        is (it|that) (enough|possible|feasible|doable) | worth (it|the) | possible to
        (?<!how )can (i|we) (\w+ ){0,3}?(fine-?tune|finetune|train|fit|run|do|q?lora) | muligt\?
        (fsdp|ddp|hsdp|deepspeed|zero-?\d) ?\d? (or|vs\.?|versus|eller)
        (or|eller) (plain |ren )?(fsdp|ddp|hsdp|deepspeed) | yes/no | ja eller nej | ja/nej | hsdp\?
        how (many|much) (\S+ ){0,4}?(gpus?|cards?|h100s?|a100s?|vram|nodes)
        hvor mange (\S+ ){0,4}?(gpu\S*|kort|noder|h100\S*|a100\S*)
        my options | muligheder | config\? | cfg\? | config asap
        fsdp\d?[ -](config\w*|konfig\w*|opsætning|setup) | (skal|bør|behøver|må|kan) (jeg|vi|der|modellen|en)
        nødvendig\w*(?! at) | brug for (fsdp|flere|sharding|ddp) | giver (det|\w+) mening | giver \w+ (noget|meget)
        kan (det|den|\w+) være | er der plads | passer (det|den) | noget at hente | betaler det sig | hvad siger du
        (what|how|where) (do|should|shall|can|would) (we|i|you) (\w+ ){0,2}?(split|shard|divide|spread|lay)
        hvordan (skal|bør) (vi|modellen|\S+) | lave? en konfiguration | regne på
        vil gerne (træne|finjustere|finetune) | (vil|skal) (\w+ )?(finjustere|træne|finetune|fortræne|efteruddanne)
        er sharding relevant | goal | mål(et)? er | requirement
        wants? to (train|fine-?tune|finetune|scale|do|run a (full|lora))
        need to (train|fine-?tune|finetune|post-?train|pre-?train) | we (plan|intend) to
        asked to (train|fine-?tune|continue) | going to (train|fine-?tune) | planning to | prepare | estimate\w*
        estimer\w* | throughput to expect | i need any sharding | fsdp\d? (needed|required|nødvendig\w*)
        is fsdp (how|the answer|the way|useful|required|needed)
        (setup|opsætning\w*|config\w*|konfiguration\w*) (for|til) (our|my|the|a|vores|min|mit|en|et)
        where do (i|we) put | what would you use | sharding group size
    """,
    # The specialist itself is what is spoken of.
    "specialist": r"""
        fsdp[ -]?agent\w* | (fsdp[ -])?(specialist|expert|ekspert)(en|s)?
        (distributed|multi-gpu|sharding|trænings?)[ -]?(training )?(agent|specialist|expert|ekspert|helper|service)(en)?
    """,
    # What is shown is pointed at.
    "pointed_at": r"""
        this | these | here | below | above | following | my | our | mine | her | herunder | nedenfor | følgende
        min | mit
        mine | vores | det her | den her
    """,
    # A case that is only imagined.
    "supposed": r"""
        (let's |lets )?say (i|we|that) | suppose | assuming | imagine | hypothetical\w* | lad os sige | antag
        forestil dig
    """,
    # How something works, whatever one's own job is.
    "concept": r"""
        (what('s| is| are)|hvad er) (the |den )?(diff\w*|difference|forskel\w*|point)
        (what('s| is| are)|hvad er) (the |den )?(purpose|meaning|formål\w*|advantage) | diff(erence)? between
        forskel\w* | explain | explanation | describe | meaning of | forklar\w* | overview
        comm(unication)?[ -]?(volume|cost|overhead)s? | (network )?traffic
        (how|why|when) (does|do|is|are|would|should i|can|must|to) | what (does|happens|is|are|do|exactly|replaced)
        how (much|many) (\w+ ){0,3}?(communication|overhead|bandwidth|traffic)
        (does|do|is|are|can|will) (fsdp\d?|fully_shard|ddp|hsdp|zero|torch\w*)
        (does|do|is|are|can|will) (dtensor|dcp|nccl|the optimizer|all ranks|one)
        (does|do|is|are|can|will) you(?! (please )?(tell|give|send|help|make|write|create|say)) | hvordan \w+
        hvorfor | hvornår
        hvad (er|betyder|sker|gør|koster|indebærer) | hvor meget (ekstra )?(hukommelse|kommunikation|båndbredde)
        (kan|skal|må|bør|når|hvis) man | (when|if) (one|you) us(e|es|ing) | does one | hvilken rækkefølge
        hvad forstås | er det rigtigt,? at
        (if|hvis) (i|we|you|jeg|vi|man)\b.{0,80}\b(can|may|will|does|kan|må|vil) (i|we|you|it|jeg|vi|man|det)
        is it (true|ok|safe|allowed|supported) | does it matter | required to | supported | understøtte\w*
        quick (one|question) | do i still
    """,
}
