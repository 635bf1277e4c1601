"""Foreign text cannot become markup."""

from hypothesis import given
from hypothesis import strategies as st

from engines.reporting.markdown import block, code, plain, table


def test_plain_text_stays_text() -> None:
    assert plain("a <script> [x](y) | `z` # *b*") == r"a \<script\> \[x\](y) \| \`z\` \# \*b\*"
    assert plain("two\nlines\x07 and \u202emore") == "two lines and more"
    assert plain("x" * 3000).endswith("…")


def test_code_with_backticks_keeps_them_inside() -> None:
    assert code("a") == "`a`"
    assert code("a `b` c") == "`` a `b` c ``"
    assert code("") == "(empty)"


@given(st.text())
def test_no_line_closes_a_block(text: str) -> None:
    lines = block([text]).split("\n")
    fence = lines[-1]
    assert lines[0] == f"{fence}text"
    assert all(fence not in line for line in lines[1:-1])


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_a_table_keeps_its_columns(cells: list[list[str]]) -> None:
    drawn = table(("a", "b"), [(plain(left), code(right)) for left, right in cells])
    for line in drawn.split("\n"):
        bare = [at for at, char in enumerate(line) if char == "|" and (at == 0 or line[at - 1] != "\\")]
        assert len(bare) == 3
