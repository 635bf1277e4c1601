"""The report as one HTML file that needs nothing else: the Markdown report, its pictures inside.

Whatever foreign text the report holds is text here too: raw HTML is not let through, links
lead to http(s) alone, and the page asks the browser to run and to load nothing.
"""

import base64
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from contracts.request import Language

if TYPE_CHECKING:
    from markdown_it.token import Token

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .25rem .6rem; text-align: left; vertical-align: top; }
pre { overflow-x: auto; padding: .6rem; background: #8881; } code { overflow-wrap: anywhere; }
img { max-width: 100%; background: #fff; } h2 { border-bottom: 1px solid #8886; margin-top: 2rem; }
"""


def render_page(markdown: str, pictures: Mapping[str, bytes], title: str, language: Language) -> str:
    """Return a report as HTML.

    Args:
        markdown: The report, as `document.render` makes it.
        pictures: PNG files by the name under which the report shows them.
        title: Title of the page.
        language: Language of the text.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    parsed = reader.parse(markdown)
    _embed(parsed, pictures)
    body = reader.renderer.render(parsed, reader.options, {})
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _embed(tokens: "list[Token]", pictures: Mapping[str, bytes]) -> None:
    """Put the report's own pictures into the page, and take every other one out: nothing is loaded."""
    for token in tokens:
        if token.type == "image":
            content = pictures.get(str(token.attrGet("src") or ""))
            source = f"data:image/png;base64,{base64.b64encode(content).decode()}" if content else ""
            token.attrSet("src", source)
        if token.children:
            _embed(token.children, pictures)
