"""Vocabulary of what went wrong; notation as in `words_topics`."""

from collections.abc import Mapping

FAILURES: Mapping[str, str] = {
    # By name.
    "error": r"""
        \w*(runtime|value|type|assertion|key|attribute|timeout|import)error
        \w*(index|backend|memory|cuda|nccl|notimplemented|file|os)error | \w+error: | \w+exception | traceback
        exitcode ?:? ?-?\d+ | exit[ =](code )?-?\d+ | sig(kill|term|segv|abrt|bus) | signal \d+ | segfault\w*
        core dumped | stack ?trace | (watchdog|collective|rendezvous|heartbeat|nccl)\b.{0,60}time-?d? ?out\w*
        (timed|times|timing) out | nccl-?timeout | time-?out( per| efter|error)?
        (?<!avoid )(?<!prevent )out of memory | (?<!avoid )(?<!prevent )ooms? | oom'?(ed|s|ing|er|et) | oom[ -]killer
        outofmemory\w* | løb(er)? (\w+ ){0,3}tør( for)? | unhandled (system|cuda) error | illegal memory access
        device-side assert\w* | no backend type associated | task_failed | job_failed
        fejl(en|besked\w*|meddelelse\w*|kode\w*)
    """,
    # In words.
    "failure": r"""
        crash(es|ed|ing)? | crasher | died | dies | dør | fails? | failed | failing | failures? | fejler | fejlede
        går (\w+ ){0,2}ned | gik ned | abort(s|ed|er|erer) | (is|gets|was|been|bliver|blev) (killed|dræbt)
        broken? ?(down)? | breaks | hang(s|ing|ed)? | hung | stuck | stall(s|ed)? | freez\w+ | frozen up | deadlock\w*
        hænger\w* | sidder fast | står stille | går i stå | fryser | never returns
        (?<!any )(?<!no )(?<!obvious )(?<!for )errors? | (?<!er der )(?<!der er )(?<!nogen )(?<!nogle )(?<!for )fejl
        does(n't| not) (work|start|run|learn|converge|decrease|load(?! (on|in|onto) (one|a single))|resume|support)
        won't (start|load|run|resume)
        not working | virker ikke | starter ikke | vil ikke (starte|loade|køre) | raises? | raised | kaster | throws
        complains about | drops \w+ | ude af drift
    """,
    # It runs, but wrongly.
    "misbehaves": r"""
        nans? | diverge[sd]? | divergerer | spik(e|es|ing) | explod\w+ | eksploder\w* | blows up
        loss (is|er) (flat|stuck|wrong|higher|constant|nan|0|zero|helt|for høj) | unbalanced | imbalance\w*
        uneven\w* | ubalance\w* | skæv\w* fordel\w* | the others (use|have|are|sit|\d) | de andre (bruger|har|er|\d)
        lander (alle )?på | all land on
        (dropped|drops|fell|falls|halved|falder|faldt|halveret) (after|by|to|from|in|til|med|fra|when|når|efter)
        (half|double|twice) (the|as) \w+ (speed|slow|time)
        (much|way|far|twice|times|x|suddenly|very|extremely|really|so|too|painfully) (slower|slow) | slower than
        langsom\w* | slow(ed)? down | low (mfu|utili[sz]ation) | helt ved siden af
        (loss|loss'en|loss-kurven) (\w+ ){0,3}(er|bliver|falder ikke|stiger) | forkert\w* | skævt? | mærkelig\w*
        stiger (for hver\w*|hele tiden|støt) | jump(s|ed|ing)? | springer | nulstill\w* | (is|gets|was) reset
        resets (to|itself) | starts? over | starter forfra | (back|tilbage) (at|to|på|til) (the )?(initial|start\w*)
        expected (\d|more|less|about) | forvente(de|t)
        (only get(ting)?|får kun) (about |around |ca\.? )?\d\S* ?(tok|%|x\b|tflop|mfu|samples|it/s)\S*
        takes (\w+ )?(\d+ (min|hour|second)\w*|forever|ages|too long) | tager (\w+ )?(\d+ (min|time|sek)\w*|evigheder)
        not overlapp\w+ | bottleneck\w* | flaskehals\w* | (missing|unexpected) keys | wrong | incorrect | garbage
        (loss|losses|loss'en|metrics?|gradient\w*|resultat\w*) (\w+ ){0,2}?(forskellig\w*|anderledes)
        deviat(es?|ing)
        corrupt\w* | ødelagt\w* | mismatch\w* | differ(s|ent)? (from|between|on|across) (ranks?|single|one|runs)
        (is|are|was|were) not (decreasing|learning|improving|the same)
        memory (grows|leak\w*|keeps growing|creeps up) | hukommelse\w* vokser | hukommelsesforbrug\w* (stiger|vokser)
        plateaus? | stagner\w* | got worse | worse than | blev dårligere
        (use|uses|using|needs|takes|bruger|fylder) (even )?(more|mere) (\w+ ){0,4}(than|end)
        (0|100) ?% (gpu )?util\w* | idle (ranks|gpus) | doing nothing | wait(s|ing)? (forever|endlessly)
        venter (i det uendelige|for evigt|på den i hvert) | never gets? (past|beyond|to) | kommer aldrig
        then nothing | (different|forskellig\w*) (on|på) (every|each|all|hver|alle)
        \d+ ?(gb|gib|%|x) (more|mere|slower|langsommere|higher|højere|less|mindre|worse)
        (is|er) (that|this|det|dette) (expected|normal|normalt|forventeligt|forventet) | identical on | prefixes so
        ude af sync | out of sync | nothing in (dmesg|the log\w*|stdout) | intet i (loggen|dmesg) | step time goes
        only rank \d | (why|hvorfor) (does|do|is|are|did|bruger|er|bliver|tager) (my|our|vores|min|mit)
        (?<!does )(?<!do )not (what|as) (we|i) expect\w* | too high | for højt? | unstable | ustabil\w* | regression
    """,
    # A change, after which something is told: the beginning of a failure's story.
    "since_change": r"""
        (after|since|ever since|once) (\w+ ){0,2}?(upgrad\w+|updat\w+|switch\w+|mov\w+)
        (after|since|ever since|once) (\w+ ){0,2}?(resum\w+|restart\w*|load\w*|enabl\w+)
        (as soon as|only when|but only|happens (only|when)) (\w+ ){0,2}?(upgrad\w+|updat\w+|switch\w+|mov\w+)
        (as soon as|only when|but only|happens (only|when)) (\w+ ){0,2}?(resum\w+|restart\w*|load\w*|enabl\w+)
        (after|since|ever since|once) (\w+ ){0,2}?(add\w*|chang\w+|going|go|save|saving|on (two|\d+)|at step)
        (as soon as|only when|but only|happens (only|when)) (\w+ ){0,2}?(add\w*|chang\w+|going|go)
        (as soon as|only when|but only|happens (only|when)) (\w+ ){0,2}?(save|saving|on (two|\d+)|at step)
        (efter|siden|så snart|kun når|men kun) (\w+ ){0,2}?(opgrader\w*|opdater\w*|skift\w*|flyt\w*)
        (efter|siden|så snart|kun når|men kun) (\w+ ){0,2}?(genoptag\w*|genstart\w*|indlæs\w*|checkpoint\w*)
        (efter|siden|så snart|kun når|men kun) (\w+ ){0,2}?(slå\w*|tilføj\w*|ændr\w*|på \w+|ca\.? \d+|\d+|vi|når)
        (sker|happens|occurs) (hver gang|every time|each time|at random|sporadically|tilfældigt)
    """,
    # Something is said to be wrong, whatever it is.
    "amiss": r"""
        any (idea|clue)\w* | ideas\? | what('s| is) (wrong|going on|the (cause|problem)) | root[ -]cause
        hvad (kan det være|er der (galt|sket)|gør vi galt|skyldes|er årsagen|gør (jeg|vi))
    """,
    "plea": r"""
        (please|pls|plz) (help|triage|advise|debug|diagnose) | help! | help | hjælp!? | debug | diagnos\w+
        fejlsøg\w* | triage | find the culprit | post-?mortem | how (do|can) (i|we) (fix|solve|find)
        how to (fix|solve)\??| løser (jeg|vi|man) (det|den) | hvor starter vi
        hvorfor (fejler|crasher|hænger|går|dør|stopper)
    """,
}
