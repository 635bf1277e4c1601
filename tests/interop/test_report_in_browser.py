"""The HTML report in a real browser: it shows its text and pictures, runs nothing and loads nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from engines.reporting.page import render_page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=800,600",
)

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(BROWSER is None, reason="needs a Chromium; Debian: apt-get install chromium"),
]

REPORT = """# FSDP report

| choice | because |
| --- | --- |
| `reshard_after_forward=True` | memory |

![loss](loss.png)

<script>document.title = "run"</script>
<img src=x onerror="document.title = 'run'">
"""


def red_square() -> bytes:
    from io import BytesIO

    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2), facecolor="red")
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def browse(tmp_path: Path, page: Path, *how: str) -> str:
    assert BROWSER is not None
    call = [BROWSER, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", *how, page.as_uri()]
    return subprocess.run(call, capture_output=True, text=True, timeout=120, check=True).stdout


def test_it_shows_what_it_should_and_runs_nothing(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(render_page(REPORT, {"loss.png": red_square()}, "quiet", "en"))
    seen = browse(tmp_path, page, "--dump-dom")
    assert "<title>quiet</title>" in seen
    assert "<td>memory</td>" in seen
    assert "reshard_after_forward=True" in seen
    picture = tmp_path / "seen.png"
    browse(tmp_path, page, f"--screenshot={picture}")
    from matplotlib.image import imread

    pixels = imread(picture)
    red = (pixels[..., 0] > 0.9) & (pixels[..., 1] < 0.1) & (pixels[..., 2] < 0.1)
    assert red.sum() > 5000, "the picture inside the page was drawn"
