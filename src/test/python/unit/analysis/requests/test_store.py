"""Where the database puts what does not fit into its memory."""

import stat
from pathlib import Path

import pytest

from switchover.analysis.requests.store import Store


@pytest.mark.parametrize("is_large", [False, True])
def test_what_does_not_fit_into_memory_goes_where_only_this_user_can_look(is_large: bool) -> None:
    """A name that others know could be theirs already, or hold a link; and samples have URLs in them."""
    (spilled,) = Store(is_large).row("SELECT current_setting('temp_directory')")
    folder = Path(spilled).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
