"""Vocabulary of what is not there: no training, no hardware; notation as in `words_topics`."""

from collections.abc import Mapping

_TRAINING = r"(training|fine-?tuning|finetuning|finetune|fine-?tune)"
_TRAIN = r"((pre-?)?train|fine-?tun|finetun|dpo|sft|rlhf)\w*"
_DA_TRAINING = r"(træning|finjustering|finetuning)\w*"
_DA_TRAIN = r"(træn|finjust|finetun)\w*"
_WORDS = r"[^.;]{0,50}?"
"""Up to fifty characters within the clause."""
_SOME_DAY = r"(some ?day|eventually|at some point|one day|in the (distant )?future|next year|in 20\d\d|long[ -]term)"
_DA_SOME_DAY = r"(måske|eventuelt|på sigt|engang|på et tidspunkt|til næste år|næste år|i fremtiden|tidligst)"
_KINDS = r"((gpu|active|current|concrete|planned|actual|multi-gpu|model|own|in-house|ongoing|firm|currently) ){0,3}"
_NOT_A_PART = r"( jobs?| runs?| workloads?)?(?! (data|loss|progress|script|error|loop|step))"
_MACHINES = r"(gpus?|hardware|cluster|machines?|cards?|servers?|nodes|order)"
_IRON = r"(gpus?|hardware|cluster|servers?)(?! (training|job|memory|error))"
_DA_MACHINES = r"(gpu\w*|gpu'er\w*|hardware\w*|kort\w*|klynge\w*|maskine\w*|server\w*|ordre\w*)"

ABSENCES: Mapping[str, str] = {
    # Nothing is trained now, nor by any date.
    "no_training": rf"""
        (no|not any|zero|without any|nor any) {_KINDS}{_TRAINING}{_NOT_A_PART}
        currently no {_TRAINING} | none (is |are )?(planned|scheduled) | no plans? (to|for|yet)
        not planning (to|any)
        ({_TRAINING}|project|job)\b{_WORDS}\bnot (yet )?(planned|scheduled|decided|funded|started|approved|budgeted)
        (don't|do not|won't|will not) (currently )?(plan |intend |expect )?(to |on )?{_TRAIN} | never trained
        nothing (is )?(to train|planned|scheduled|in the pipeline)
        not (currently )?{_TRAINING} (anything|any|yet|now)
        (we|they|i|and|perhaps|maybe) (may|might|could) (\w+ ){{0,2}}?({_SOME_DAY} )?{_TRAIN}
        {_SOME_DAY}\b{_WORDS}\b{_TRAIN} | {_TRAIN}\b{_WORDS}\b({_SOME_DAY}|not before|before q[1-4])
        (still|currently) (labell?ing|collecting|annotating)
        (ingen|intet|nogen) (\w+ ){{0,2}}?{_DA_TRAIN} (i|på|lige|planlagt|i gang)
        ingen (\w+ ){{0,2}}?({_DA_TRAINING}|træningsjobs?|træningskørsler|træningsplaner) | ingen planer om
        (træner|finjusterer|finetuner) (vi )?(slet )?ikke
        ikke (\w+ ){{0,2}}?(planlagt|planer om) (\w+ ){{0,3}}?{_DA_TRAIN}
        ({_DA_TRAINING}|projekt\w*|job\w*)\b{_WORDS}\bikke (\w+ ){{0,2}}?(planlagt|besluttet|i gang|begyndt|bevilget)
        {_DA_SOME_DAY}\b{_WORDS}\b{_DA_TRAIN}
        {_DA_TRAIN}\b{_WORDS}\b(på sigt|engang|på et tidspunkt|til næste år|tidligst)
        samler (stadig )?data | annoterer stadig
    """,
    # A number of GPUs that nobody knows yet.
    "count_open": r"""
        \d+,? (or|eller) (\w+ )?\d+ | (maybe|perhaps|possibly|could be|either|måske|enten|muligvis) (\w+ )?\d+
        (between|mellem) \d+ (and|og) \d+ | (how many|hvor mange)
    """,
    # GPUs that are not there.
    "hardware_absent": rf"""
        {_MACHINES}\b{_WORDS}\b(arriv\w+|deliver\w+|on order|ordered|back-?order\w*|cancell?ed|procur\w+)
        {_MACHINES}\b{_WORDS}\b(not (yet )?(here|bought|ordered|placed|available|decided|delivered|arrived|chosen))
        {_MACHINES}\b{_WORDS}\bin (about )?(a few|\w+) months | procurement | (gpu|hardware) budget (is )?not
        (no|without( any)?|have no|haven't (got|bought)( any)?) (\w+ ){{0,2}}?{_IRON}
        (don't|do not) (yet )?have( any)? (\w+ ){{0,2}}?{_IRON}
        (type|count|number) (is )?unknown
        {_DA_MACHINES}\b{_WORDS}\b(bestilt|leveres|ankommer|kommer (først|om|til)|på vej|i ordre|afbestilt|annulleret)
        {_DA_MACHINES}\b{_WORDS}\bikke (\w+ )?(købt|her|kommet|leveret|bestilt|valgt) | indkøb\w*
        (ingen|har ikke( nogen| endnu)?|mangler|uden) (\w+ ){{0,2}}?(gpu\w*|hardware|kort|klynge)
        (hverken )?hvor mange eller hvilken | antal\w* (\w+ ){{0,2}}er ukendt
        waiting for (\w+ ){{0,2}}(delivery|hardware)
        venter på (\w+ ){{0,2}}(levering\w*|hardware\w*|gpu\w*)
    """,
}
