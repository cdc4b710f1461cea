"""What a process does for its memory while it measures."""

import gc
import threading
import time
import weakref

from switchover.process.own_memory import collected, freeze_loaded_objects

PATIENCE_S = 10.0


class Link:
    def __init__(self) -> None:
        self.back: Link = self


def test_garbage_is_collected_while_a_process_measures_and_nothing_runs_behind_it() -> None:
    before = threading.active_count()
    limit = time.monotonic() + PATIENCE_S
    with collected(every_s=0.01):
        garbage = weakref.ref(Link())
        while garbage() is not None and time.monotonic() < limit:
            time.sleep(0.01)
        assert garbage() is None
    assert threading.active_count() == before


def test_what_is_loaded_is_left_out_of_collections() -> None:
    loaded = Link()
    with collected():
        assert not any(one is loaded for one in gc.get_objects())


def test_what_an_earlier_run_left_behind_is_collected_before_the_next() -> None:
    garbage = weakref.ref(Link())
    gc.freeze()
    freeze_loaded_objects()
    assert garbage() is None
