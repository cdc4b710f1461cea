"""Ctrl-C between two greenlets, not in the middle of one.

Python raises KeyboardInterrupt in the code that runs at that moment. An answer that is not yet recorded, or rows that
are not yet written, would be lost. This handler raises it in the main greenlet, where Locust waits for it, as soon as
the running greenlet yields. Python handles a second Ctrl-C itself, in case no greenlet yields.
"""

import signal
import threading
from types import FrameType

import gevent
from gevent import getcurrent


def deliver_interrupt_to_main() -> None:
    """Install the handler of SIGINT. Call it in the main greenlet. A handler of another library stays."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    main, loop = getcurrent(), gevent.get_hub().loop

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.run_callback_threadsafe(main.throw, KeyboardInterrupt())

    signal.signal(signal.SIGINT, interrupted)
