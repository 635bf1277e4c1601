"""Vocabulary of what is not there: no training, no hardware; notation as in `words_topics`."""

from collections.abc import Mapping

ABSENCES: Mapping[str, str] = {
    # Nothing is trained now, nor by any date.
    "no_training": r"""
        (no|not any|zero|without any|nor any) ((active|current|concrete|planned|actual|multi-gpu|model|own|in-house|ongoing|firm|currently) ){0,3}(training|fine-?tuning|finetuning)( jobs?| runs?| workloads?)?(?! (data|loss|progress|script|error|loop|step))
        currently no (training|fine-?tuning)
        (training|fine-?tuning|finetuning|fine-?tune|plan|project|job|it)\b[^.;]{0,40}?\b(postponed|on hold|deferred|cancell?ed|shelved|paused|on ice|called off|pushed back|dropped for now|not (yet )?(planned|scheduled|decided|funded|started|approved|budgeted))
        none (is |are )?(planned|scheduled) | no plans? (to|for|yet) | not planning (to|any) | (don't|do not|won't|will not) (currently )?(plan |intend |expect )?(to |on )?(train|fine-?tune|finetune)\w*
        nothing (is )?(to train|planned|scheduled|in the pipeline) | not (currently )?(training|fine-?tuning) (anything|any|yet|now) | never trained
        (we|they|i|and|perhaps|maybe) (may|might|could) ((eventually|someday|one day|later|also|want to|at some point) ){0,3}(train|fine-?tune|finetune|need to train)
        (some ?day|eventually|at some point|one day|in the (distant )?future|next year|in 20\d\d|long[ -]term)\b[^.;]{0,40}?\b(train|fine-?tun|finetun)\w*
        (train|fine-?tun|finetun)\w*\b[^.;]{0,40}?\b(some ?day|eventually|at some point|one day|in the (distant )?future|not before|before q[1-4]) | still (labell?ing|collecting|annotating)
        ingen (\w+ ){0,2}?(træning|finjustering|finetuning|træningsjobs?|træningskørsler|træningsplaner|planer om (at )?(træn|finjust|finetun)\w*) | (træner|finjusterer|finetuner) (vi )?(slet )?ikke | ingen planer om
        (træning|finjustering|finetuning|projekt|job|plan)\w*\b[^.;]{0,40}?\b(udskudt|udsat|sat i bero|sat på (pause|standby)|aflyst|droppet|skrinlagt|på pause|ikke (\w+ ){0,2}?(planlagt|besluttet|i gang|begyndt|bevilget))
        ikke (\w+ ){0,2}?(planlagt|planer om) (\w+ ){0,3}?(træn|finjust|finetun)\w* | samler (stadig )?data | annoterer stadig
        (måske|eventuelt|på sigt|engang|på et tidspunkt|til næste år|næste år|i fremtiden)\b[^.;]{0,50}?\b(træn|finjuster|finetun)\w*
        (træn|finjuster|finetun)\w*\b[^.;]{0,50}?\b(på sigt|engang|på et tidspunkt|til næste år|tidligst)
    """,
    # GPUs that are not there.
    "hardware_absent": r"""
        (gpus?|hardware|cluster|machines?|cards?|servers?|nodes|order)\b[^.;]{0,50}?\b(arriv\w+|deliver\w+|not (yet )?(here|bought|ordered|placed|available|decided|delivered|arrived|chosen)|on order|ordered|back-?order\w*|cancell?ed|procur\w+|in (about )?(a few|\w+) months)
        procurement | (gpu|hardware) budget (is )?not | (no|without( any)?|don't (yet )?have( any)?|do not (yet )?have( any)?|haven't (got|bought)( any)?|have no) (\w+ ){0,2}?(gpus?|hardware|cluster|servers?) | (type|count|number) (is )?unknown
        (gpu\w*|gpu'er\w*|hardware\w*|kort\w*|klynge\w*|maskine\w*|server\w*|ordre\w*)\b[^.;]{0,50}?\b(bestilt|leveres|ankommer|kommer (først|om|til)|ikke (\w+ )?(købt|her|kommet|leveret|bestilt|valgt)|på vej|i ordre|afbestilt|annulleret) | indkøb\w*
        (ingen|har ikke( nogen| endnu)?|mangler|uden) (\w+ ){0,2}?(gpu\w*|hardware|kort|klynge) | (hverken )?hvor mange eller hvilken | antal\w* (\w+ ){0,2}er ukendt
    """,
}
