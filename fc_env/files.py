"""Files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, UTF-8, whole or not at all. Raises OSError where it cannot be written."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
