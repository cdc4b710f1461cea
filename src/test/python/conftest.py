"""What every test takes for granted of the process that it runs in."""

import gc
import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from support.examples import GATE_EXAMPLES, PROFILE
from support.influxdb import asked_for, closing_line, ran_against

# The same examples every time: what passes here passes elsewhere. A property test tries 15 examples in make test, and
# its own number, or 100, in make test-properties. HYPOTHESIS_PROFILE=new looks for new ones.
# No deadline: how long one takes is a matter of what else the machine does.
settings.register_profile("all", derandomize=True, database=None, deadline=None)
settings.register_profile("same", settings.get_profile("all"), max_examples=GATE_EXAMPLES)
settings.register_profile("new", deadline=None)
settings.load_profile(PROFILE)


# What a test makes of a run is no news for the job that runs the tests.
os.environ.pop("GITHUB_ACTIONS", None)


def pytest_configure() -> None:
    """A job that a shell put into the background ignores Ctrl-C, and so would every process that a test sends one."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All that is made here stays: to look through it for garbage again and again takes a tenth of the time."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


def pytest_unconfigure() -> None:
    """Or libraries in C++ complain at the end of objects that are still there."""
    gc.unfreeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the process that has the last word which databases it had."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["influxdb"] = [sorted(asked_for), sorted(ran_against)]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Where a worker crashed, it told nothing."""
    asked, ran = getattr(node, "workeroutput", {}).get("influxdb", ((), ()))
    asked_for.update(asked)
    ran_against.update(ran)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Which databases the tests had before them belongs to what a green run says."""
    if line := closing_line():
        terminalreporter.write_line(line)
