"""Sentences are filled in as the language writes numbers, sizes and counts."""

import pytest

from contracts.wording import told

TABLE = {
    "size": ("{gib:size} free", "{gib:size} fri"),
    "count": ("{params:count} parameters", "{params:count} parametre"),
    "share": ("{share:.1%} faster", "{share:.1%} hurtigere"),
    "speed": ("{speed:,.0f} tokens/s", "{speed:,.0f} tokens/s"),
    "flag": ("{name}={value}", "{name}={value}"),
}


@pytest.mark.parametrize(
    ("key", "values", "english", "danish"),
    [
        ("size", {"gib": 1234.5}, "1234.50 GiB free", "1234,50 GiB fri"),
        ("size", {"gib": 0.05}, "51.20 MiB free", "51,20 MiB fri"),
        ("count", {"params": 8_030_000_000}, "8.03 billion parameters", "8,03 mia. parametre"),
        ("count", {"params": 124_000_000}, "124.00 million parameters", "124,00 mio. parametre"),
        ("count", {"params": 7_200}, "7.20 thousand parameters", "7,20 tusind parametre"),
        ("share", {"share": 0.047}, "4.7% faster", "4,7 % hurtigere"),
        ("speed", {"speed": 12345.6}, "12,346 tokens/s", "12.346 tokens/s"),
        ("flag", {"name": "torch", "value": "2.13"}, "torch=2.13", "torch=2.13"),
        ("flag", {"name": "ranks", "value": 8192}, "ranks=8192", "ranks=8192"),
        ("flag", {"name": "offload", "value": True}, "offload=True", "offload=True"),
        ("flag", {"name": "{value.__class__}", "value": "{0}"}, "{value.__class__}={0}", "{value.__class__}={0}"),
    ],
)
def test_a_sentence_in_both_languages(key, values, english, danish):
    assert told(TABLE, key, "en", **values) == english
    assert told(TABLE, key, "da", **values) == danish
