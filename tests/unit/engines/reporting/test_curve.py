"""The loss curve is a picture that shows something."""

import io

from matplotlib.image import imread

from contracts.event import Event
from engines.reporting.curve import draw_loss_curve
from engines.reporting.series import TrainingSeries


def drawn(count: int) -> bytes:
    series = TrainingSeries()
    series.add(Event(kind="step", time=0.0, step=step, loss=5.0 / step) for step in range(1, count + 1))
    series.add([Event(kind="eval", time=0.0, step=1, loss=4.0)])
    return draw_loss_curve(series, "r-0123456789ab: $done$ <b>")


def test_the_picture_is_a_png_of_the_stated_size() -> None:
    picture = drawn(50)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    pixels = imread(io.BytesIO(picture))
    assert pixels.shape[:2] == (432, 840)  # 3.6 x 7.0 inches at 120 dots per inch
    # the training curve's blue (matplotlib's first colour, #1f77b4) is there
    blue = abs(pixels[..., :3] - [0x1F / 255, 0x77 / 255, 0xB4 / 255]).max(axis=-1) < 0.02
    assert blue.sum() > 200


def test_one_step_is_a_point() -> None:
    pixels = imread(io.BytesIO(drawn(1)))
    assert (pixels[..., :3] < 0.9).any()
