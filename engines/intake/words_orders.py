"""Vocabulary of orders and questions; notation as in `words_topics`.

These phrases bring their own boundaries and see line ends: an order stands at the beginning
of a clause, a question at the beginning of a text.
"""

from collections.abc import Mapping

_CLAUSE = r"(^|[.;:!?>\n]\s*|\b(please|pls|go ahead and|can you|could you|kan du|bare|venligst|now|just|ok|okay) )"
"""Beginning of a clause, or a word that asks for what follows."""
_AFTER = r"(^|[.,;:!?>\n]\s*|\b(please|pls|and|then|now|og|så) )"
"""The same, with a comma or "and" before it."""
_NO_NOUN = (
    r"\b(?!-| (fails?|failed|failing|hangs?|crash\w*|died|dies|is|was|of|command|script|line|error|errors|time)"
    r"| (with|by|from|into|out|numbers|the numbers|fejler|hænger|går|igennem|tallene)"
    r"| \d+ (is|was|died|crashed|failed|hangs|er|har))"
)
"""Not "launch fails", "run 42 crashed", "start with": those are no orders."""
_GREETED = r"^\W*((hi|hello|hey|hej|kære|dear|quick one)\b[^.!?\n]{0,30}[.,!:]\s*)?"
"""Beginning of the text, or of what follows a greeting."""
_ERRAND = r"""(^|:\s*|(?<!\w)['"]\s*)\W*(please |pls )?"""
"""Beginning of a text, or of one that is quoted in it."""
_THIS = r" (the|our|my|it|this|a|den|det|vores|jobbet|træning\w*)\b"

ORDERS: Mapping[str, str] = {
    "run": rf"""
        {_CLAUSE}(kick off|start|launch|fire (up|off)|run|submit|execute|begin|resume|restart|queue|schedule){_NO_NOUN}
        {_CLAUSE}(spin up|kør|igangsæt|genoptag|genstart|afvikl|udfør){_NO_NOUN}
        {_CLAUSE}(get|set|bring)\b[^.!?\n]{{3,80}}\b(going|running|started|under way|rolling)\b
        {_AFTER}få(?=[^.!?\n]{{1,60}} (i gang|op at køre))
        {_AFTER}sæt(?=[^.!?\n]{{1,60}} i gang)
        {_AFTER}(kick off|launch|submit|igangsæt|fire (up|off)){_THIS}
        ^\W*(go|run|start|launch|execute|kør)\s?[:!] | \bgo ahead and (start|run|launch|train)\b
        \bapproved by\b | \b(user|owner|customer) approved\b
        \bgodkendt af\b
        \b(plan|planen) (looks|ser) (good|god|fine|fint|ok)\b | \bgreen light\b
        \b(it|planen|plan) (is |er |was |blev )?(approved|godkendt)\b | \bi gang med at køre\b
        , (start|run|launch|kør) (it|this|den|det)\b
        (^|[.!?\n] ?)(start|kør) (jobbet|træningen|kørslen|finjustering\w*)\b
    """,
    "train_order": rf"""
        {_CLAUSE}(train|fine-?tune|finetune|træn|finjust[eé]r) (the|our|my|a|this|it|den|det|vores|en)\b
    """,
    # Something other than training is to be done.
    "do": rf"""
        {_AFTER}(quanti[sz]e|deploy|convert|export|put|serve|host|benchmark|evaluate|merge|upload|run|start|launch)\b
        {_AFTER}(transcribe|embed|classify|caption|label|score|export|answer|generate|rerank|transskrib[eé]r|klassific[eé]r)\b
        {_AFTER}(spin up|set up|install|sæt|kvantis[eé]r|konvert[eé]r|eksport[eé]r|læg|udrul|kør|evalu[eé]r)\b
    """,
    # Office work ordered, whatever it is about.
    "errand": rf"""
        {_ERRAND}(create|book|send|write|draft|schedule|translate|summari[sz]e|order|remind|forward|archive)\b
        {_ERRAND}(reset|rename|delete|clean|buy|make|file|unsubscribe|cancel|invite|call|add|ask|tell|print|opret|skriv|bestil|lav|oversæt)\b
        ^\W*(påmind|slet|afmeld|inviter|ring|køb|tilføj)\b
    """,
    "question": r"""
        (?<!=)\?(?=[\s"')\]]|$)
    """,
    "question_start": rf"""
        {_GREETED}(what|why|how|when|which|who|where|does|do|is|are|can|could|should|will|would|has|have|explain|if)\b
        {_GREETED}(in fsdp\d?|hvad|hvorfor|hvordan|hvornår|hvilke[nt]?|hvor|hvem|er|kan|skal|må|findes|har|bør|hvis)\b
        {_GREETED}(bliver|forklar|in which|on which|which of)\b
    """,
}
