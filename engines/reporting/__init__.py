"""Reporting: what a thread knows, told to a person.

Pure: contracts in, text or bytes out. `document.py` is the Markdown report, `summary.py`
the gist for a chat, `curve.py` the loss curve, `phrases.py` every sentence in English
and Danish.
"""
