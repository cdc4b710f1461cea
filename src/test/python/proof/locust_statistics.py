"""What a Locust without anything of ours keeps of a long test, in its own classes.

    python -m proof.locust_statistics 5 10 20    megabytes after 10 and after 20 s of requests with five names

Locust 2.47 has a number for each second of each name and of all together (`StatsEntry.num_reqs_per_sec`), which it
never drops, and with its web page a row of its charts for each five seconds (`RequestStats.history`).
"""

import json
import sys
import time
import tracemalloc
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from locust.stats import HISTORY_STATS_INTERVAL_SEC, RequestStats, update_stats_history


def main() -> int:
    print(json.dumps(kept_mb(int(sys.argv[1]), [float(status) for status in sys.argv[2:]])))
    return 0


def kept_mb(names: int, times_s: Sequence[float]) -> list[float]:
    """By each of these times, in order, with a request of each name in each second."""
    statistics = RequestStats()
    runner: Any = SimpleNamespace(stats=statistics, user_count=1)
    entries = [statistics.total, *(statistics.get(f"name {number}", "GET") for number in range(names))]
    begin_s, second, found = int(time.time()), 0, []
    tracemalloc.start()
    try:
        for at_s in times_s:
            while second < at_s:
                for entry in entries:
                    entry.num_reqs_per_sec[begin_s + second] += 1
                if second % HISTORY_STATS_INTERVAL_SEC == 0:
                    update_stats_history(runner)
                second += 1
            found.append(round(tracemalloc.get_traced_memory()[0] / 1e6, 3))
    finally:
        tracemalloc.stop()
    return found


if __name__ == "__main__":
    sys.exit(main())
