"""Pictures of figures, drawn without a display."""

from __future__ import annotations

import io
from typing import Any


def axes(width: float = 8.0, height: float = 4.5) -> Any:
    """Empty axes in a picture of their own, inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def png(drawn: Any, dpi: int = 120) -> bytes:
    """The picture that axes are in; the same drawing gives the same bytes."""
    picture = io.BytesIO()
    drawn.figure.savefig(picture, format="png", dpi=dpi, metadata={"Software": None})
    return picture.getvalue()
