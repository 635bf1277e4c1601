"""Every sentence that a report or a chat message is made of, in English and Danish."""

from contracts.request import Language
from contracts.wording import Sentences, told

_PHRASES: Sentences = {
    # headings
    "title": ("FSDP report", "FSDP-rapport"),
    "asked": ("What was asked", "Hvad der blev spurgt om"),
    "need": ("Is FSDP needed?", "Er der brug for FSDP?"),
    "plan": ("Plan", "Plan"),
    "memory": ("Predicted memory per rank", "Forventet hukommelse pr. rank"),
    "decisions": ("Decisions", "Beslutninger"),
    "findings": ("Findings", "Fund"),
    "approval": ("Approval", "Godkendelse"),
    "run": ("Run", "Kørsel"),
    "trials": ("Trials", "Forsøg"),
    "diagnosis": ("Diagnosis", "Diagnose"),
    "answer": ("Answer", "Svar"),
    "citations": ("Citations", "Kilder"),
    "failure": ("What went wrong", "Hvad der gik galt"),
    "in_short": ("In short", "Kort"),
    "method": ("How it was found out", "Hvordan det er fundet ud af"),
    "estimates": ("Estimates", "Beregninger"),
    "conclusion": ("Conclusion", "Konklusion"),
    "uncertain": ("What remains uncertain", "Hvad der stadig er usikkert"),
    "decide_by": ("What would decide it", "Hvad der ville afgøre det"),
    "found_out": ("The parts", "Delene"),
    # words of tables and lists
    "yes": ("yes", "ja"),
    "no": ("no", "nej"),
    "part_waiting": ("waits", "venter"),
    "part_skipped": ("skipped", "sprunget over"),
    "part_failed": ("failed", "fejlede"),
    "verdict": ("verdict", "vurdering"),
    "assumed": ("assumed", "antaget"),
    "instead": ("instead", "i stedet"),
    "thread": ("Thread", "Tråd"),
    "size": ("size", "størrelse"),
    "component": ("component", "del"),
    "because": ("because", "fordi"),
    "choice": ("choice", "valg"),
    "cards": ("cards", "kort"),
    "value": ("value", "værdi"),
    "fix": ("fix", "rettelse"),
    "arithmetic": ("The arithmetic:", "Regnestykket:"),
    "assumptions": ("Assumptions:", "Antagelser:"),
    "warnings": ("Warnings:", "Advarsler:"),
    "alternatives": ("Considered, not chosen:", "Overvejet, ikke valgt:"),
    "collect": ("To know more, collect:", "For at vide mere, indsaml:"),
    "no_findings": ("No findings.", "Ingen fund."),
    "trial": ("trial", "forsøg"),
    "measured_speed": ("tokens/s per rank", "tokens/s pr. rank"),
    "predicted_speed": ("predicted", "forventet"),
    "ratio": ("ratio", "forhold"),
    "step_time": ("step (s)", "trin (s)"),
    "measured_peak": ("peak (GiB)", "spids (GiB)"),
    "predicted_peak": ("predicted", "forventet"),
    "winner": ("Winner", "Vinder"),
    "trial_measured": ("measured", "målt"),
    "trial_failed": ("failed", "fejlede"),
    "trial_not_run": ("not_run", "ikke kørt"),
    "nobody_won": ("none", "ingen"),
    "trials_title": ("trials; winner: {winner}", "forsøg; vinder: {winner}"),
    "gib": ("{gib:size}", "{gib:size}"),
    "plan_speed": (
        "{speed:,.0f} tokens/s/GPU, MFU {mfu:.0f} % (± {error:.0f} %), {bound}",
        "{speed:,.0f} tokens/s/GPU, MFU {mfu:.0f} % (± {error:.0f} %), {bound}",
    ),
    "number": ("{n:,.{digits}f}", "{n:,.{digits}f}"),
    "memory_title": ("predicted peak memory", "forventet spidsforbrug af hukommelse"),
    "memory_axis": ("{unit} of one rank, at the peak", "{unit} for én rank, ved spidsen"),
    "memory_reserved": ("reserved", "reserveret"),
    "memory_device": ("device", "enhed"),
    # what is being done, while it is done
    "doing_report": ("drawing the pictures and writing the report", "tegner billederne og skriver rapporten"),
    "doing_mend": ("looking for a change that mends the cause", "leder efter en ændring, der retter årsagen"),
    "doing_compare": ("reading what the trials measured", "læser, hvad forsøgene målte"),
    "doing_submit": ("handing the approved launch to the runner", "giver den godkendte kørsel til runneren"),
    "doing_plan": (
        "predicting the peak memory and choosing the settings",
        "forudsiger spidsforbruget og vælger indstillingerne",
    ),
    "doing_hash": (
        "reading through what the job would read, to bind the approval to its content",
        "læser det, jobbet ville læse, for at binde godkendelsen til indholdet",
    ),
    "doing_hash_trials": (
        "reading through what the trials would read, to bind the approval to its content",
        "læser det, forsøgene ville læse, for at binde godkendelsen til indholdet",
    ),
    # where a run stands
    "state_submitted": ("submitted", "indsendt"),
    "state_queued": ("queued", "i kø"),
    "state_starting": ("starting", "ved at starte"),
    "state_running": ("running", "i gang"),
    "state_stopping": ("stopping", "ved at stoppe"),
    "state_done": ("done", "færdig"),
    "state_failed": ("failed", "fejlet"),
    "state_cancelled": ("cancelled", "annulleret"),
    "state_refused": ("refused", "afvist"),
    "state_lost": ("lost", "tabt"),
    # sentences
    "trials_done": ("{done} of {all} trials were measured.", "{done} af {all} forsøg blev målt."),
    "rss_note": (
        "rss: the resident set of a CPU rank, libraries included; the prediction is of the training alone.",
        "rss: en CPU-ranks samlede hukommelse med biblioteker; forudsigelsen gælder træningen alene.",
    ),
    "asked_in_part": (
        "(the first {shown:,} of {count:,} characters)",
        "(de første {shown:,} af {count:,} tegn)",
    ),
    "questions": ("Some things have to be known first:", "Noget skal vides først:"),
    "failed": ("Failed ({code}): {message}", "Fejlede ({code}): {message}"),
    "lacking": ("It lacks something ({code}): {message}", "Der mangler noget ({code}): {message}"),
    "hint": ("What to do: {hint}", "Hvad du kan gøre: {hint}"),
    "declined": ("Rejected by {approver}; nothing was started.", "Afvist af {approver}; intet blev startet."),
    "not_fsdp": ("FSDP is not the answer here ({verdict}).", "FSDP er ikke svaret her ({verdict})."),
    "peak": (
        "Predicted peak per rank: {reserved:size} reserved ({error:.0f} % error), in the {phase} phase.",
        "Forventet spidsforbrug pr. rank: {reserved:size} reserveret ({error:.0f} % fejl), i fasen {phase}.",
    ),
    "fits_yes": ("It fits.", "Det kan være der."),
    "fits_no": ("It does not fit.", "Det kan ikke være der."),
    "fits_unknown": ("The memory of the device is not known.", "Enhedens hukommelse kendes ikke."),
    "plan_ready": ("The plan is ready: {ranks} ranks, {steps} steps.", "Planen er klar: {ranks} ranks, {steps} trin."),
    "script_ready": ("The script is ready to run: {ranks} ranks.", "Scriptet er klar til at køre: {ranks} ranks."),
    "script_blocked": ("The script would run on {ranks} ranks.", "Scriptet ville køre på {ranks} ranks."),
    "plan_blocked": ("The plan: {ranks} ranks, {steps} steps.", "Planen: {ranks} ranks, {steps} trin."),
    "script_not_judged": ("not judged: a script of your own", "ikke vurderet: dit eget script"),
    "review_errors": (
        "the review found an error, {rule} {place}: {message}",
        "gennemgangen fandt en fejl, {rule} {place} (fundene er på engelsk): {message}",
    ),
    "review_errors_many": (
        "the review found {errors} errors, the first is {rule} {place}: {message}",
        "gennemgangen fandt {errors} fejl, den første er {rule} {place} (fundene er på engelsk): {message}",
    ),
    "peak_unknown": (
        "Its memory is not predicted, for its model is not named.",
        "Dets hukommelse er ikke forudsagt, for modellen er ikke nævnt.",
    ),
    "plan_launch": (
        "A launch is prepared ({hash}); nothing was started.",
        "En kørsel er forberedt ({hash}); intet blev startet.",
    ),
    "blocked": (
        "The review found {errors} errors, so this launch is not put forward for approval.",
        "Gennemgangen fandt {errors} fejl, så kørslen lægges ikke frem til godkendelse.",
    ),
    "reviewed": (
        "Reviewed: {errors} errors, {warnings} warnings, {advice} pieces of advice.",
        "Gennemgået: {errors} fejl, {warnings} advarsler, {advice} råd.",
    ),
    "would_run": (
        "Ready to run: {kind} on {ranks} {device} ranks. It waits for approval of launch {hash}.",
        "Klar til at køre: {kind} på {ranks} {device}-ranks. Den venter på godkendelse af kørsel {hash}.",
    ),
    "would_try": (
        "Ready to try {count} configurations, one after the other, on {ranks} {device} ranks. "
        "It waits for approval of launch {hash}.",
        "Klar til at prøve {count} konfigurationer efter hinanden på {ranks} {device}-ranks. "
        "Den venter på godkendelse af kørsel {hash}.",
    ),
    "still_waiting": (
        "Launch {hash} still waits for a person's decision. A message decides nothing; "
        "another request needs a thread of its own.",
        "Kørsel {hash} venter stadig på en persons afgørelse. En besked afgør intet; "
        "en anden forespørgsel skal have sin egen tråd.",
    ),
    "plan_again": (
        "run the request again: what is there now is planned anew and put forward for approval",
        "kør forespørgslen igen: det, der er der nu, planlægges på ny og forelægges til godkendelse",
    ),
    "not_decided": ("Not decided: {why}.", "Ikke afgjort: {why}."),
    "mended": (
        "Run {run_id} failed of {cause}. Round {round}: {why}. It is put before you as a new launch.",
        "Kørsel {run_id} fejlede på grund af {cause}. Runde {round}: {why}. Det forelægges som en ny kørsel.",
    ),
    "rounds": ("Rounds of mending", "Runder af rettelser"),
    "costs": ("It costs: {costs}.", "Det koster: {costs}."),
    "starts_from": ("Starts from {path}: {why}.", "Starter fra {path}: {why}."),
    "starts_over": ("No checkpoint is given to it: {why}.", "Den får intet checkpoint: {why}."),
    "outcome_held": ("the fix held: the run finished", "rettelsen holdt: kørslen blev færdig"),
    "outcome_not_held": (
        "the fix did not hold: it failed of the same cause again",
        "rettelsen holdt ikke: den fejlede igen af samme årsag",
    ),
    "outcome_next_problem": (
        "the fix held; another problem came next",
        "rettelsen holdt; et andet problem kom derefter",
    ),
    "outcome_open": ("not run to an end", "ikke kørt til ende"),
    "round_line": (
        "Round {round}, {cause}: {fix}. Outcome: {outcome}.",
        "Runde {round}, {cause}: {fix}. Udfald: {outcome}.",
    ),
    "started": ("Run {run_id} was started.", "Kørsel {run_id} er startet."),
    "running": (
        "Run {run_id} is {state}, {progress}. The thread goes on when it ends.",
        "Kørsel {run_id} er {state}, {progress}. Tråden fortsætter, når den slutter.",
    ),
    "running_script": (
        "Run {run_id} is {state}. The thread goes on when it ends.",
        "Kørsel {run_id} er {state}. Tråden fortsætter, når den slutter.",
    ),
    "run_over": ("run {run_id} is {state}: {reason}", "kørsel {run_id} er {state}: {reason}"),
    "no_reason": ("the run folder gives no reason", "kørslens mappe giver ingen grund"),
    "progress": ("step {step} of {steps}, loss {loss}", "trin {step} af {steps}, loss {loss}"),
    "ran": (
        "Run {run_id} is {state} after {steps} steps and {attempts} attempt(s).",
        "Kørsel {run_id} er {state} efter {steps} trin og {attempts} forsøg.",
    ),
    "ran_script": (
        "Run {run_id} is {state} after {attempts} attempt(s).",
        "Kørsel {run_id} er {state} efter {attempts} forsøg.",
    ),
    "ran_trials": (
        "Run {run_id} of trials is {state} after {attempts} attempt(s).",
        "Kørsel {run_id} med forsøg er {state} efter {attempts} forsøg på at køre.",
    ),
    "loss": (
        "Loss: {first:.4f} at the start, {last:.4f} at the end (nats per token).",
        "Loss: {first:.4f} ved start, {last:.4f} ved slut (nats pr. token).",
    ),
    "speed": ("Speed: {speed:,.0f} tokens/s over all ranks (median).", "Fart: {speed:,.0f} tokens/s i alt (median)."),
    "checkpoints": ("Newest checkpoints: step {steps}.", "Nyeste checkpoints: trin {steps}."),
    "export": ("Exported model: {path}", "Eksporteret model: {path}"),
    "run_folder": ("Run folder: {path}", "Kørslens mappe: {path}"),
    "ended": ("Why it ended: {reason}", "Hvorfor den sluttede: {reason}"),
    "not_restarted": ("Not started again: {reason}", "Ikke startet igen: {reason}"),
    "failed_start": ("Start {attempt} failed {place}: {error}", "Start {attempt} fejlede {place}: {error}"),
    "at_place": ("at {place}", "ved {place}"),
    "evidence": ("Evidence, in the run's folder: {files}", "Beviser, i kørslens mappe: {files}"),
    "report": ("Report: {path}", "Rapport: {path}"),
    "who": (
        "{decision} by {approver} at {at} through {via}, for launch {hash}.",
        "{decision} af {approver} kl. {at} via {via}, for kørsel {hash}.",
    ),
    "cause_unknown": ("The cause is not known.", "Årsagen kendes ikke."),
    "what_happened": ("What happened:", "Hvad der skete:"),
    "first_failure": ("First failure seen: {what}", "Første fejl, der ses: {what}"),
    "nothing": ("There is nothing to report.", "Der er intet at berette."),
}


def phrase(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in.

    Args:
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    return told(_PHRASES, key, language, **values)
