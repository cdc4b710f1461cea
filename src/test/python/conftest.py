"""What every test takes for granted of the process that it runs in."""

import os
import signal

from hypothesis import settings

# The same examples every time: what passes here passes elsewhere. HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("same", derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure() -> None:
    """A job that a shell put into the background ignores Ctrl-C, and so would every process that a test sends one."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
