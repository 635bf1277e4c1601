"""Pairs of word groups that mean something together; `frames` looks for them within a clause.

Notation as in `words_topics`.
"""

from dataclasses import dataclass

from engines.intake.words_groups import (
    ACTOR,
    ANSWERS,
    DEVICE,
    DURATION,
    GONE,
    MEMORY,
    METRIC,
    NONSENSE,
    OFFICE_ACT,
    OFFICE_THING,
    ONE_RANK,
    PIECE,
    POOR,
    RATE,
    RISING,
    SLOW,
    STANDSTILL,
    THE_REST,
    UNLIKE,
)


@dataclass(frozen=True)
class Frame:
    """Two groups of words that together show a signal."""

    signal: str
    """The signal that is counted, as in the other `words_*` tables."""
    first: str
    """One group."""
    second: str
    """The other; the order in the text does not matter."""
    unless: str = ""
    """Words in the same clause that take the meaning away."""
    near: int = 50
    """Characters that may stand between the two."""
    anywhere: bool = False
    """Whether the two may stand in different clauses."""


_ORDER = r"""
    send | deliver | give | writ(e|ing) | prepare | needs? | want | propose | produce | create | draft | fill in
    lock | fix | make (a|an|the|us|me) | suggest | come back with | what would | would you | how (should|would|do|can)
    which | lav | lave | skriv | skrive | giv | lever | læg | udarbejd | foreslå | smid | smide | bud på | hvordan
    hvilken | have
    what | hvilke | lås\w* | prepare | final | endelige?
"""
_PLANNED = r"""
    config\w* | settings | layout | la(y|id) (it |this |that |them |the \w+ )?out | mesh
    (\w+ping|sharding|wrap|shard) (policy|strategy|plan|group)s? | sharding | yaml | opsætning\w* | konfig\w*
    indstilling\w* | fsdp\w*-(opsætning|konfig|config)\w* | sharding-\w+ | dele?r? (\w+ ){1,2}op
    fordele?r? (\w+ )?(modellen|den)
    setup | strateg\w+ | parallelism | options? | parallelisme
"""
_TECHNIQUE = r"""
    fsdp[12]? | hsdp | ddp | deepspeed | zero-?[123] | shard(ing|e)? | model[- ]sharding
"""
_OURS = r"""
    we | our | us | i | my | team | planned | upcoming | soon | vi | vores | os | jeg | min | mit | planlagt | på vej
    kommende
"""
_NEED = r"""
    need(s|ed|ing)? | require[ds]? | requirement | necess\w+ | must | have to | has to | overkill | worth | mandatory
    benefit | gain | pays? off | without | y/n | yes/no | yes or no | any (use|point) | makes? sense | obligatory
    unavoidable | nødvendig\w* | krav | kræve[rs] | brug for | skal der | uden | ja/nej | ja eller nej | værd
    giver (det )?mening | betaler det sig | uundgåelig\w* | right (tool|choice|way|thing) | calls? for | called for
    sufficient | suffices? | påkrævet | nøjes med | række[rs]? | rigtige (valg|værktøj)
"""
_API = r"""
    calls?(?! for) | kalde[rs]? | kalder | set_\w+ | \w+\(\) | when (you |we |one |i )?us(e|ing)
    når (man|du|vi|jeg) bruger | ranks? | state[_ ]dicts? | \w*scaler | checkpoint\w* | clip\w* | sampler | \w*sampler
    prefetch\w* | all-?(gather|reduce) | reduce-?scatter
"""
_CHECKPOINT = r"""
    (dcp-?)?checkpoint(s|ed|et|er|erne)? | dcp( folder| mappe)? | state[_ ]dicts? | saved( \w+){0,4} | gemt( \w+){0,3}
    torch\.distributed\.checkpoint
"""
_RESTORE = r"""
    load(s|ed|ing|able)? | resum\w+ | restor\w+ | open(ed)? | read | usable | reused? | reshard\w* | continue[ds]?
    indlæse?s? | indlæst | genoptag\w* | fortsæt\w* | åbnes? | læses? | genbruge?s? | re-?start\w* | pick\w* up
    genstart\w*
    go(es)? on | carr(y|ies) on | convert\w* | migrat\w* | konverter\w* | videre | move[ds]? to | usable
"""
_WORLD = r"""
    \d+[ -](gpus?|gpu'er|cards?|ranks?|kort|processes|ways?) | world[- ]size( \d+)?
    on (exactly )?(\d+|as many|one|fewer|more|half) | (from|to|into|fra|til) \d+ | på (\d+|færre|flere|lige så mange)
    a single (gpu|card) | et enkelt kort | (different|other|same) (number|world size) | (andet|samme) antal
    -(rank|gpu)
    (with|med) (only |kun )?\d+(?! ?(gb|gib|tokens)) | half (of )?the (ranks|gpus|cards)
    (færre|flere) (kort|gpu\w*|ranks)
"""
_AGENT = r"""
    (fsdp[ -]?)?agent(en|er|erne|s)? | fsdp-agent\w* | (fsdp[ -]|fsdp-)?(specialist|expert|ekspert)\w*
    (distributed|training|sharding)[ -](training )?(agent|specialist|expert|helper|service) | this (tool|service)
"""
_KEEPING = r"""
    keep\w* | kept | hold(s|ing)? | leave | retain\w* | maintain\w* | load(ed)? | unload\w* | spawn\w*
    (en|dis)abled? | switch\w* (it )?(on|off) | turn\w* (it )?(on|off) | remov\w+ | retire\w* | drop | install\w*
    add(ed)? | includ\w+ | put | wir\w+ | onboard\w* | activ\w+ | reserv\w+ | needed | need | part of | reason
    resident | warm | memory | standby | decommission\w* | have | plan for | build in | on | off | deploy\w*
    provision\w* | regist\w+ | call(ed)? for | behold\w* | holde\w* | lade | lad | blive\w* | slå\w* | slukke\w*
    tænd\w* | fjern\w* | afmeld\w* | registrer\w* | med i | tage \w+( \w+)? med | tages? med | med | bygge\w*
    indbygge\w* | tilkobl\w* | aktiv\w* | brug for | grund til | nødvendig\w* | klar | varm | hukommelsen
    opsætningen | være
"""
_WORK = r"""
    (pre-?|post-?)?train(ing|ings|s)? | fine-?tun\w* | finetun\w* | models? of our own | own model
    model of (its|their) own | (training |job |work )?(queue|backlog|pipeline|roadmap) | jobs? | dpo | sft
    workloads? | (model|for|efter)?træn\w* | finjuster\w* | træningsjob\w* | egen model | egne modeller | køen?
    roadmappen | (instruction|preference|domain|full|model)?[ -]?tuning
"""
_OWN_TRAINING = r"""
    plan | project | initiative | job | it | projekt\w* | planer\w* | planen
    (fine-?tuning|finetuning|training|pre-?training|(model|egen )?træning\w*|finjustering(en|s\w+)?|finetuning(en)?)
"""
_STOPPED = r"""
    scrapped | shelved | cancel\w+ | postponed | paused | on (hold|ice) | taken off | deferred | abandoned | suspended
    dropped | called off | pushed back | denied | rejected | off the (plan|roadmap|table) | udskudt | udsat | aflyst
    droppet | opgivet | skrinlagt | på (pause|hold|hylden|standby) | sat i bero | indstillet | sløjfet | lagt på is
    lagt (i graven|på is|ned|død) | taget af (bordet|planen|programmet) | (won't|will not) happen | not happening
    off until \w+ | bliver ikke til noget
"""
_BY_ACCIDENT = r"""
    slurm | scheduler | rank | step \d+ | node\d* | error | sigterm | preempt\w* | itself | signal | timeout
"""
_NONE = r"""
    no | not | none | nothing | nobody | no one | never | neither | zero | 0 | empty | \w+n't | won't | without
    until | not before | at the earliest | earliest | next (year|spring|summer|autumn|winter|quarter) | in 20\d\d
    by 20\d\d | some ?day | one day | eventually | may | might | maybe | perhaps
    still (gathering|collecting|label\w+|annotat\w+) | scrapp\w+ | shelved | cancel\w+ | postpon\w+ | paused | halted
    stopped | on (hold|ice) | taken off | deferred | abandoned | suspended | frozen | dropped | called off | denied
    rejected | ingen | intet | ikke | aldrig | tom | tomt | nul | hverken | tidligst | først | måske | engang
    næste (år|forår|efterår) | i 20\d\d | nej | udskudt | udsat | aflyst | droppet | opgivet | skrinlagt
    på (pause|hold|hylden) | sat i bero | indstillet
"""
_IRON = r"""
    gpu(s|'er|'erne|er)? | gpu-\w+ | hardware\w* | cards? | kort(ene)? | cluster( \w+)? | klynge\w* | servers?
    servere?\w* | machines? | maskine\w* | nodes? | accelerators? | order | tender | quotation | quote | grant
    purchase | procurement | bevilling\w* | indkøb\w* | ordre\w* | tilbud\w* | udbud\w*
"""
_UNSETTLED = r"""
    tbd | tba | to be (decided|determined|announced|confirmed) | unknown | unclear | undecided | open | pending
    negotiat\w+ | arriv\w+ | on order | not (yet )?\w+ | isn't \w+ | aren't \w+ | hasn't \w+ | nobody knows
    (don't|do not) know | no (cards|gpus|hardware|cluster|machines|servers)( at all| yet)? | zero | somewhere between
    could be | possibly | maybe | (is|gets?|will be) decided | decision | until | until then | closes in
    next (spring|summer|autumn|winter|year|month|quarter) | ukendt\w* | uafklaret | åben | åbent | afventer
    forhandl\w* | bestilt | leveres | kommer (først|til) | på vej | ikke (\w+ )?\w+ | ingen( ved)? | nul | mangler
    ved ikke | endnu | efter nytår | nobody (knows|can say) | customs | in transit | delayed | backlog
    to be confirmed | no(?= (\w+ ){0,2}(cards|gpus?|hardware|cluster|machines|servers|accelerators))
    promised | no idea | out for | neither | lovet | hverken | not (fixed|settled)
"""
_MODEL_WORD = r"""
    (base |basis)?-?model(len|s)? | basismodel\w* | llm | network
"""
_OPEN = r"""
    no(?= (base )?model) | tbd | tba | unknown | open | undecided | unsettled
    not (yet )?(chosen|picked|decided|selected|known|fixed|final)
    (isn't|hasn't been|wasn't) (\w+ )?(chosen|picked|decided|selected|known|fixed)
    no (base )?model (is )?(picked|chosen|yet|selected) | we'll choose | ukendt | åben | åbent
    ikke (\w+ )?(valgt|fundet|besluttet|bestemt|kendt|fastlagt) | ved ikke | pending
    to be (decided|determined|confirmed) | tbc
    neither | nobody (has )?\w+ | settled | fixed | ingen(?= model) | hverken
    (hasn't|haven't|has not|have not) (\w+ )?(chosen|picked|decided|selected|settled)
"""
_USES = r"""
    embed(s|ding)? | classif(y|ies|ying) | tag(s|ging)? | label(s|ling)? | caption(s|ing)? | scor(e|es|ing)
    answer(s|ing)? | chat(s|ting)? | repl(y|ies|ying) | summari\w+ | translat\w+ | transcri\w+ | extract(s|ing)?
    rerank\w* | respond\w* | generat(e|es|ing) | rank | predict\w* | describe | besvare?r? | svare?r? | klassificer\w*
    oversæt\w* | opsummer\w* | transskriber\w* | udtræk\w* | generer\w* | beskrive?
    run(s|ning)? (\S+ ){0,4}(over|through) | kør(e|er)? (\S+ ){0,4}(over|igennem)
"""
_USERS = r"""
    documents? | docs | pdfs? | (e-?)?mails? | users? | customers? | requests? | queries | pictures | photos | images
    pages | calls | tickets? | questions | chats? | sentences | reviews | records | pdf'er | brugere | dokumenter
    sider | opkald | kunder | spørgsmål | beskeder | billeder | henvendelser | sætninger | chatbots? | assistants?
    \d+ ?(m|million|mio\.?|thousand|k|tusind) (?!tokens|param|samples|steps|eksempler)\w+ | contracts | invoices
    articles
"""
_READY = r"""
    finished | ready(-made)? | off[- ]the[- ]shelf | as (downloaded|is|released|published) | as-is | unchanged
    unmodified | out of the box | vendor\w* | stock | already (trained|tuned) | færdig\w* | uændre\w* | som den er
    (weights|it) (stays?|remains?) as (they are|is|it is)
    untouched | urørt\w*
"""
_A_MODEL = r"""
    model\w* | \d+(\.\d+)?b(-\w+)? | \w+-\d+(\.\d+)?b\w* | checkpoints? | weights | llm
"""
_RUNS = r"""
    chat(ting)? with | talk to | run(s|ning)? | host(s|ing|e)? | quer(y|ies|ying) | køre?r? | snakke med | hoste?r?
"""
_QUICK = r"""
    faster | speed up | quicker | hurtigere | tok(ens?)?/s | tokens per second
"""
_REPLIES = r"""
    answers? | generation | generating | responses? | replies | reply | chatting | chat | svar\w* | generering\w*
    tokens out | respond\w* | chatbot\w*
"""
_STRIKING = r"""
    (anything|something|what|noget|hvad) (that )?(strikes?|stands? out|jumps? out|is off|odd|wrong|suspicious|weird)
    (anything|something|what|noget|hvad) (missing|amiss|fishy|falder|springer|mangler|galt|mærkeligt|forkert)
"""
_MATERIAL = r"""
    (\w+ )?config\w* | konfig\w* | scripts?(et)? | code | kode\w* | yaml | setup | opsætning\w* | \w*wrapping | diff
    pr | snippet | sbatch\w* | policy | file | fil(en)? | launch (line|command)
"""

FRAMES: tuple[Frame, ...] = (
    Frame("misbehaves", ONE_RANK, THE_REST, near=60),
    Frame("misbehaves", METRIC, UNLIKE, near=40),
    Frame("misbehaves", METRIC, STANDSTILL),
    Frame("misbehaves", MEMORY, RISING, near=40),
    Frame("misbehaves", ANSWERS, NONSENSE, near=60),
    Frame("misbehaves", DURATION, SLOW, near=40),
    Frame("misbehaves", RATE, POOR, near=30),
    Frame("failure", ACTOR, GONE, near=40),
    Frame("plan", _ORDER, _PLANNED, near=60),
    Frame("needed", _TECHNIQUE, _NEED, unless=_API, near=25),
    Frame("own_training", _OURS, _WORK, near=40),
    Frame("restore", _CHECKPOINT, _RESTORE, near=150, anywhere=True),
    Frame("world_size", _RESTORE, _WORLD, near=100, anywhere=True),
    Frame("standby", _KEEPING, _AGENT, near=40),
    Frame("training_absent", _WORK, _NONE, near=60),
    Frame("no_training", _OWN_TRAINING, _STOPPED, unless=_BY_ACCIDENT),
    Frame("distributed", DEVICE, PIECE, near=40),
    Frame("office", OFFICE_ACT, OFFICE_THING, near=40),
    Frame("review", _STRIKING, _MATERIAL, near=30),
    Frame("hardware_unsettled", _IRON, _UNSETTLED, near=50),
    Frame("model_open", _MODEL_WORD, _OPEN, near=30),
    Frame("model_use", _USES, _USERS, near=40),
    Frame("model_use", _READY, _A_MODEL, near=25),
    Frame("model_use", _RUNS, _A_MODEL, near=10),
    Frame("inference", _QUICK, _REPLIES, near=25),
)
