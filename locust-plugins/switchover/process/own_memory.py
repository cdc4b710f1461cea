"""What a process that measures for hours does for its memory."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTED_EVERY_S = 60.0


def freeze_loaded_objects() -> None:
    """Take what is loaded by now out of garbage collection, which takes 30 ms with it and less than one without."""
    gc.unfreeze()  # what the run before left behind
    gc.collect()
    gc.freeze()


@contextmanager
def collected(every_s: float = COLLECTED_EVERY_S) -> Iterator[None]:
    """Once a minute. A process that leaves no garbage never does it by itself, and until it does the interpreter
    keeps up to 2,000 freed tuples of each length, 5 MB in all."""
    freeze_loaded_objects()
    over = threading.Event()
    collector = threading.Thread(target=_collect_until, args=(over, every_s), name="memory", daemon=True)
    collector.start()
    try:
        yield
    finally:
        over.set()
        collector.join()


def _collect_until(over: threading.Event, every_s: float) -> None:
    while not over.wait(every_s):
        gc.collect()
