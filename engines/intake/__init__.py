"""Intake: request files and free text become a Request, and a Request becomes a Need.

`request_file.read_request` reads a file, `assess.assess_request` judges it. The vocabulary
(words of English and Danish, GPU and model names, sentences) is data in `words_*.py`,
`texts_*.py`, `tables.py` and `names.py`; the other modules are mechanism and know no single
case. Order: `normal` and `language`, the `extract_*` readers and `signals`, then `scope` and `intent`
(together `ruled`), `routes` with what was learned of their weights, `verdict`, last `missing` and `wording`.
"""
