"""Files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def blaming(path: Path) -> Iterator[None]:
    """An error of a temporary file is told as one of the file that was meant."""
    try:
        yield
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, UTF-8, whole or not at all. Raises OSError, naming the file, where it cannot be written."""
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, whole or not at all. Raises OSError, naming the file, where it cannot be written."""
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with blaming(target):
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def check_writable(path: Path) -> None:
    """Raise OSError, naming the file, if none can be written there; what is there already is left as it is."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with blaming(path), tempfile.TemporaryFile(dir=path.parent):
        pass
