"""Real-time scheduling never outlives its use."""

import os
import subprocess
import sys

SPINS = """
import os, time
from switchover.prober.process import become_realtime, is_realtime
become_realtime()
for _ in range(5):
    time.sleep(0.01)
began_punctual = is_realtime()
used = time.process_time()
while time.process_time() - used < 0.6:
    pass
print(began_punctual, is_realtime(), os.sched_getscheduler(0) == os.SCHED_OTHER)
"""


def may_be_punctual() -> bool:
    asks = "import os; os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))"
    return subprocess.run([sys.executable, "-c", asks], stderr=subprocess.DEVNULL, check=False).returncode == 0


def test_a_process_that_never_waits_is_an_ordinary_one_again() -> None:
    done = subprocess.run([sys.executable, "-c", SPINS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [str(may_be_punctual()), "False", "True"]


def test_this_process_is_left_as_it_is() -> None:
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
