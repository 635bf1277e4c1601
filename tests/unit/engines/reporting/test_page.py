"""The HTML report: everything inside, foreign text stays text."""

import base64
from html.parser import HTMLParser

import pytest

from contracts.memory import MemoryEstimate
from engines.reporting.markdown import code, plain
from engines.reporting.memory_bar import draw_memory_bar
from engines.reporting.page import render_page

PNG = b"\x89PNG\r\n\x1a\nrest"


class Seen(HTMLParser):
    """The tags with their attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_text_tables_and_pictures_are_in_the_page() -> None:
    page = Seen(
        render_page("# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![loss](loss.png)\n", {"loss.png": PNG}, "t", "da")
    )
    assert len(page.of("td")) == 2
    [picture] = page.of("img")
    assert picture["src"] == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert page.of("html") == [{"lang": "da"}]


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "</style><script>alert(1)</script>",
    "<iframe src=//evil.example>",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    '" onmouseover="alert(1)',
)


@pytest.mark.parametrize("foreign", HOSTILE)
@pytest.mark.parametrize("form", [str, plain, code], ids=["raw", "plain", "code"])
def test_foreign_text_is_text(foreign: str, form: object) -> None:
    page = Seen(render_page(f"# T\n\n{form(foreign)}\n", {}, foreign, "en"))  # type: ignore[operator]
    assert not page.of("script")
    assert not page.of("iframe")
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href"):
            assert not (attributes.get(name) or "").startswith(("javascript:", "data:text", "https://evil")), attributes
    policy = next(meta for meta in page.of("meta") if meta.get("http-equiv"))
    assert "default-src 'none'" in (policy["content"] or "")


def test_the_memory_picture_is_a_png() -> None:
    memory = MemoryEstimate(
        active_gib=10.0,
        reserved_gib=12.5,
        step1_reserved_gib=11.0,
        capacity_gib=79.1,
        overhead_gib=1.0,
        margin_gib=65.6,
        error_pct=15.0,
        peak_phase="backward",
        breakdown_gib={"parameters": 4.0, "activations": 6.0},
    )
    assert draw_memory_bar(memory, "$7B$").startswith(b"\x89PNG")
