"""A SIGINT handler that delivers Ctrl-C between two greenlets.

Python raises KeyboardInterrupt in the code that is running, so samples that are not yet written would be lost. This
handler waits until the running greenlet yields, and raises KeyboardInterrupt in the main greenlet. A second Ctrl-C
raises KeyboardInterrupt at once, in case the running greenlet never yields.
"""

import signal
import threading
from types import FrameType

import gevent
from gevent import getcurrent


def deliver_interrupt_to_main() -> None:
    """Install a SIGINT handler that interrupts this greenlet, unless a library has already installed one."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    main, loop = getcurrent(), gevent.get_hub().loop

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.run_callback_threadsafe(main.throw, KeyboardInterrupt())

    signal.signal(signal.SIGINT, interrupted)
