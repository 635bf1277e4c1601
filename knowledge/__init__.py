"""What is known about FSDP, as data, and the one loader and searcher of it.

```
cards/<slug>.md      one claim each: where it holds, what says so, what to do about it
probes/<name>.py     a program that shows a claim on the torch that is installed
verified/<torch>.json  what the probes found on a version of torch
cards.py             Card, its rules, and the loader
vocabulary/          the words of the field: synonyms, Danish, what is outside
search.py            finds cards by words; words.py and lexicon.py know the words
verification.py      joins cards with what the probes found
pages.py             writes docs/knowledge from the cards
```
Nothing here imports torch or runs anything.
"""
