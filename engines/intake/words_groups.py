"""Word groups of something going wrong, of devices and of office work, for `words_frames`; notation as there."""

METRIC = r"""
    loss(en|es)? | loss'en | (loss[ -])?(curves?|kurve\w*) | accuracy | nøjagtighed\w* | perplexity | ppl | metrics?
    reward | scores? | grad(ient)?[ -]?norm\w* | gradient(s|er|erne)? | weights | vægte\w* | parametre\w* | outputs?
    validation | f1 | auc | bleu
    training | træningen | progress
"""
NOT = r"(never|not|hardly|barely|no longer|stopped|\w+n't|refus\w+( to)?)"
STANDSTILL = rf"""
    {NOT} (\w+ ){{0,3}}?(mov\w+|budg\w+|drop\w*|decreas\w+|fall\w*)
    {NOT} (\w+ ){{0,3}}?(com(e|es|ing) down|go(es|ing)? down|improv\w+|chang\w+)
    {NOT} (\w+ ){{0,3}}?(learn\w*|converg\w+|advanc\w+|progress\w*)
    (rykker|rykke|falder|falde|ændrer|ændre|flytter|flytte|bevæger|bedrer|forbedrer) (\w+ ){{0,2}}?(ikke|aldrig|knap)
    (ikke|aldrig|knap|nægter at) (\w+ ){{0,2}}?(ryk\w*|fald\w*|ændr\w*|flyt\w*|bevæg\w*|forbedr\w*|lær\w*)
    sits?( \w+)? (at|on) | sitting at | hover(s|ing)? | parked | pinned | nailed | flat( ?lin\w+)? | frozen( at)?
    stays? (put|at|on|around|near|constant) | remains? (at|around|constant|the same) | plateau\w* | konstant
    exactly (zero|0|the same|what) | (is|are|er) (zero|nul) | bit[ -]for[ -]bit | bitwise | unchanged | uændre\w*
    what (we|it|they) started | (at )?chance( level)? | random (level|guessing) | liggende | ligger (fast|stille)
    bliver (liggende|stående) | stagner\w* | står stille
"""
MEMORY = r"""
    memory | vram | ram | hukommelse\w* | gpu[ -]mem | \d+ ?gi?b
"""
RISING = r"""
    creep\w* | climb\w* | grow(s|ing)? | balloon\w* | swell\w* | keeps (going up|rising|increasing) | ris(es|ing)
    kravler | vokser | kryber | eats?( up)? | hogs? | gobbles? | æder | sluger | opad
"""
ANSWERS = r"""
    model(len)? | answers? | outputs? | generat\w+ | samples? | text | completions? | svar(er|ene|et)? | reload\w*
"""
NONSENSE = r"""
    gibberish | garbage | nonsense | rubbish | gobbledygook | vrøvl | volapyk | ævl | sludder
"""
DURATION = r"""
    (training )?steps? | skridt | sav(e|es|ing) | checkpoint\w* | epochs? | epoken? | load(s|ing)? | iterations?
    start-?up | first batch | gemme\w* | indlæsning\w*
"""
SLOW = r"""
    (takes?|taking|took|needs?|spends?) (\w+ ){0,3}?\d+ ?(min\w*|hours?|h|sec\w*|s|times)
    (takes?|taking|took|needs?|spends?) (\w+ ){0,3}?(two|three|four|five|ten|several) (min\w*|hours?|sec\w*|times)
    (tager|varer|bruger) (\w+ ){0,3}?(\d+|to|tre|fire|fem|ti|flere) ?(min\w*|sek\w*|s|timer|gange)
    (times|x) (as long|slower|longer) | as long as before | gange (så|længere) \w+ | forever | ages | crawl\w*
    evigheder | sneglefart | snail\w*
"""
RATE = r"""
    tok(ens?)?/s | tokens per second | throughput | speed-?up | speed | scal(es|ing) | mfu | util\w* | skaler\w*
    hastighed\w*
"""
POOR = r"""
    (barely|merely|hardly|only|just|kun|knap|bare) (about |around |ca\.? )?\d\S* | (no more|not more) than \d\S*
    collaps\w+ | disappoint\w*
    sag(s|ged|ging)? | sinks? | slips? | declin\w+ | degrad\w+ | halv(ed|es|eret) | falls? (from|to|off) | dropped
    drops (from|to)
    falder (fra|til) | faldt
"""
ACTOR = r"""
    (node|rank|process|worker|machine|server|gpu|card|job|run)('?s)?
    (message|item|answer|branch|agent|state|reply|replie|row|reducer|checkpointer)('?s)?
    processes | training | træning\w* | kørsel\w* | job\w* | maskine\w* | svar(et|ene)? | besked\w* | element\w*
    gren\w* | emne\w* | række\w* | reducer\w* | it | den | det | (task|dag|workflow|result|order|ordre)\w*
    \w*graf(en)? | graph
"""
GONE = r"""
    vanish\w* | disappear\w* | (goes|go|went|gone) (missing|silent|quiet|dark) | gets? lost | got lost | lost | loses
    forgets | forgot | skipped | dropped
    (comes?|appears?|sent|executed|fires?|arrives?|delivered) (\w+ ){0,2}?(twice|doubled?) | duplicated
    stop(s|ped)? (answering|responding|dead) | falls? over | keels? over | quits | keeps? waiting | sits? there
    prints? nothing | nothing (at all )?from | no output | says nothing | gets? no further | forsvinder | forsvandt
    mister | mistede | tabes | går tabt | glemmer | glemte | dobbelt | to gange | holder (\w+ )?op | går kold
    går død | vælter | ryger | siger ingenting | bliver væk | never (fires|arrives|runs|triggers|returns|reaches|gets)
    only ever | (når|kommer) aldrig
    overwrit\w+ | overskriv\w+ | race condition | holdt (\w+ )?op | drifts? (away|apart) | all we get | dødt
    (returns?|contains?|keeps?|gets?|sees?|delivers?) only (the )?(first|last|one|half)
    (indeholder|viser|får) kun (den |det )?(første|sidste|ene|halvdelen)
    (kører|går) i ring | (runs?|goes) in circles | loops? (forever|endlessly) | endless loop
"""
ONE_RANK = r"""
    rank \d+ | (the )?first (gpu|card|rank) | (gpu|card) 0 | one (gpu|card|rank) | (den|det) ene | første (kort|gpu)
"""
THE_REST = r"""
    (the |all |all the )?(others?|rest|remaining|siblings) (\w+ ){0,3}?\d+
    (de|alle|alle de|alle) (andre|øvrige) (\w+ ){0,2}?\d+ | resten (\w+ ){0,2}?\d+
"""
UNLIKE = r"""
    nowhere near | far (from|off) | (doesn't|does not|don't|do not) match | off by | way off | unlike | afviger
    langt fra | passer ikke
"""
DEVICE = r"""
    gpu(s|'er|'en|'erne)? | cards? | devices? | kort(et|ene)?
"""
PIECE = r"""
    piece\w* | slices? | (its|own) (share|part|portion|fraction) | part of | fraction of | bid(er)? | stykke\w*
    del af | sin del
    (re)?assembl\w* | gather\w* | saml\w*
    (its|their|a|own) (own )?copy | egen kopi
"""
OFFICE_ACT = r"""
    order | book | move | print | reserve | cancel | postpone | invite | tell | notify | remind | send | schedule
    buy | put
    arrange | bring | clean | flyt | bestil | send | reservér | reserver | aflys | udsæt | inviter | giv | fortæl
    mind | køb
    ryd | print | læg
"""
OFFICE_THING = r"""
    (\w+ )?meeting\w* | rooms? | toner | lunch | cakes? | coffee | printer\w* | calendar | invit\w+ | badges?
    desk\w* | bikes?
    team( know)? | everyone | \w*møde\w* | \w*lokale\w* | frokost | kage\w* | kalender\w* | besked | \w*teamet
    alle | kaffe
    catering | sandwich\w* | (team|company) day | folder | signs? | reception | seddel | dør(en)? | mappe\w*
"""
