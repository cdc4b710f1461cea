from pathlib import Path

from switchover.study.figures import read_ab

WHOLE = """
Concurrency Level:      50
Time taken for tests:   2.500 seconds
Complete requests:      5000
Failed requests:        10
   (Connect: 0, Receive: 0, Length: 10, Exceptions: 0)
Non-2xx responses:      20
Requests per second:    2000.00 [#/sec] (mean)
Transfer rate:          2500.50 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    1   0.5      1       4
Processing:     1    9   3.2      8      60
Waiting:        1    9   3.2      8      60
Total:          2   10   3.4      9      62

Percentage of the requests served within a certain time (ms)
  50%      9
  95%     16
  98%     19
  99%     22
 100%     62 (longest request)
"""
BROKEN = """
Benchmarking 198.18.0.50 (be held)...apr_socket_recv: Connection reset by peer (104)
Total of 1234 requests completed
"""


def read(folder: Path, text: str) -> tuple[dict[str, float], str]:
    path = folder / "ab.log"
    path.write_text(text, encoding="utf-8")
    return read_ab(path)


def test_the_figures_of_a_whole_run_keep_good_and_failed_apart(tmp_path: Path) -> None:
    figures, why = read(tmp_path, WHOLE)
    assert why == ""
    assert (figures["requests"], figures["failed"], figures["good"]) == (5000, 20, 4980)
    assert (figures["good_rate"], figures["all_rate"]) == (1992.0, 2000.0)
    assert (figures["mean"], figures["sd"], figures["median"], figures["p99"], figures["max"]) == (10, 3.4, 9, 22, 62)
    assert figures["in_flight"] == 20.0


def test_an_ab_that_broke_off_says_why_and_has_no_rate(tmp_path: Path) -> None:
    figures, why = read(tmp_path, BROKEN)
    assert figures == {"requests": 1234, "aborted": 1.0}
    assert why == "apr_socket_recv: Connection reset by peer (104)"
    assert read(tmp_path, "")[1] == "ab printed no result"
