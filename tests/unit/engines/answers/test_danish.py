import pytest

from engines.answers.ask import answer_question
from engines.answers.danish import in_danish
from engines.answers.wording import WORDS_MAX
from knowledge.cards import cards
from tests.danish import english_texts


@pytest.mark.parametrize(
    "question",
    [
        "Skal optimizeren oprettes før eller efter fully_shard?",
        "Hvorfor hænger min træning?",
        "Kan jeg genoptage på 4 GPU'er?",
        "Hvordan sharder fully_shard parametre?",
        "Hvornår samles vægtene?",
        "hvilken dtype reducerer FSDP2",
        "Er ShardedGradScaler nødvendig?",
        "FSDP2 med LoRA?",
        "Genoptræning på H100?",
    ],
)
def test_danish_is_recognised(question: str) -> None:
    assert in_danish(question)


@pytest.mark.parametrize(
    "question",
    [
        "Is it over for the man under the den?",
        "for i in range(4): de = have(i)",
        "Why does FSDP hang at save?",
        "os.environ var?",
        "vi ~/.bashrc",
        "HSDP mesh",
        "min dtype mod 2",
    ],
)
def test_english_and_code_are_not_danish(question: str) -> None:
    assert not in_danish(question)


def test_a_danish_question_is_answered_in_the_cards_words_with_a_danish_lead() -> None:
    answer = answer_question("Skal jeg oprette optimizeren før eller efter fully_shard?", torch="2.13")
    assert answer.answer.startswith("Svar for torch 2.13 (kortene er på engelsk):")
    assert cards()[answer.citations[0].card].claim in answer.answer
    assert len(answer.answer.split()) <= WORDS_MAX


def test_a_danish_question_of_another_field_is_refused_in_danish_too() -> None:
    answer = answer_question("Hvordan bager jeg et rugbrød uden surdej?")
    assert not answer.covered
    assert answer.answer.startswith("Ikke dækket")
    assert english_texts(answer.answer) == {}


def test_a_card_of_another_torch_is_told_in_danish() -> None:
    answer = answer_question("Hvordan virker fully_shard?", torch="1.9")
    assert not answer.covered
    assert answer.answer.startswith("Ikke dækket (`not covered`) for torch 1.9: det nærmeste kort")
    assert english_texts(answer.answer) == {}
