"""Answers to questions about FSDP: claims of cards, each cited, or "not covered".

No sentence of an answer is made up here: it is a card's claim, the first paragraph of its
advice, or arithmetic that is shown. `ask.answer_question` is the entry.
"""
