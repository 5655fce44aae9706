"""What several test files use."""

from __future__ import annotations

import pytest
from hypothesis import settings
from scenario_texts import BASE

# No test is timed: on a machine with other work a first call may take long.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def write(tmp_path):
    """Writes BASE with some replacements to a file and returns its path."""

    def written(*replacements, text=BASE):
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        path = tmp_path / "some.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return written
