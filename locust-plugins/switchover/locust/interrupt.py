"""Ctrl-C between two greenlets, not in the middle of one.

Python raises KeyboardInterrupt in the code that runs at that moment: in a user that has an answer and has not
recorded it, or in a greenlet that has taken rows and has not written them. Here it is raised in the main greenlet,
where Locust waits for it, as soon as the running one yields. A second Ctrl-C is Python's own again, in case no
greenlet yields.
"""

import signal
import threading
from types import FrameType

import gevent
from gevent import getcurrent


def deliver_interrupt_to_main() -> None:
    """Install the handler of SIGINT. Called in the main greenlet; a handler of another library stays."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    main, loop = getcurrent(), gevent.get_hub().loop

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.run_callback_threadsafe(main.throw, KeyboardInterrupt())

    signal.signal(signal.SIGINT, interrupted)
