"""What every test takes for granted of the process that it runs in."""

import signal


def pytest_configure() -> None:
    """A job that a shell put into the background ignores Ctrl-C, and so would every process that a test sends one."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
