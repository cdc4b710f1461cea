"""One contestant of `streaming.py`, a process of its own: makes lines and hands them over, and says what that took.

    python streaming_contestants.py nothing|switchover|influxdb-client SETTINGS

SETTINGS is JSON: url, database, user, password, directory, points, rate (0: as fast as it goes). Prints JSON lines:
how much memory it takes each second, and in the end its CPU time. influxdb-client runs in an environment of its own,
so this file needs nothing else.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

Take = Callable[[str], None]


def line(number: int) -> str:
    """As the traffic of a run looks; each is a point of its own."""
    who = f"answered_by=backend,backend=web{number % 3},balancer=lb1,generator=locust,label=page{number % 10}"
    at_ns = 1_700_000_000_000_000_000 + number * 1_000
    times = "rt_sum=812.345,rt_min=3.125,rt_max=41.500,p50=7.250,p90=12.500,p99=40.750"
    fields = f"count={number % 97}i,bytes=5120i,{times}"
    return f"switchover_requests,{who},outcome=good,run=benchmark {fields} {at_ns}"


def main() -> int:
    name, settings = sys.argv[1], json.loads(sys.argv[2])
    take, end, pids = CONTESTANTS[name](settings)
    begun_s = said_s = time.monotonic()
    for number in range(settings["points"]):
        take(line(number))
        if number % 100 == 0:
            now_s = time.monotonic()
            if settings["rate"] and (ahead_s := number / settings["rate"] - (now_s - begun_s)) > 0:
                time.sleep(ahead_s)
            if now_s - said_s >= 1.0:
                said_s = now_s
                say(at_s=round(now_s - begun_s, 1), rss_mb=sum(map(rss_mb, pids)))
    handed_s = time.monotonic() - begun_s
    said = end()
    ended_s = time.monotonic() - begun_s
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(one.ru_utime + one.ru_stime for one in used)
    say(cpu_s=cpu_s, handed_s=handed_s, ended_s=ended_s, said=said)
    return 0


def nothing(settings: dict[str, str]) -> tuple[Take, Callable[[], str], list[str]]:
    return lambda _: None, lambda: "", ["self"]


def switchover(settings: dict[str, str]) -> tuple[Take, Callable[[], str], list[str]]:
    from switchover.rundir.journal import Journal
    from switchover.streaming.influx.destination import Credentials, Database, parse_destination
    from switchover.streaming.influx.shipper import streamed
    from switchover.streaming.parent import Streaming

    directory = Path(settings["directory"])
    destination = parse_destination(f"{settings['url']}?db={settings['database']}")
    database = Database(destination, Credentials(user=settings["user"], password=settings["password"]))
    streaming = Streaming(directory, database, None, lambda text: None, wait_s=settings["wait_s"])  # type: ignore[arg-type]
    journal = Journal(directory / "journal.lp", {})

    def end() -> str:
        journal.close()
        account = streaming.finish()
        return "" if account is None else streamed(account, directory)

    return journal.write_line, end, ["self", str(streaming.pid)]


def influxdb_client(settings: dict[str, str]) -> tuple[Take, Callable[[], str], list[str]]:
    from influxdb_client import InfluxDBClient, WriteOptions  # type: ignore[import-not-found]

    token = f"{settings['user']}:{settings['password']}"
    client = InfluxDBClient(settings["url"], token=token, org="-", enable_gzip=True)
    # Batches as large as ours, and flushed as soon; what it does when it fails is as it comes.
    api = client.write_api(WriteOptions(batch_size=5_000, flush_interval=1_000))
    bucket = f"{settings['database']}/autogen"

    def end() -> str:
        api.close()
        client.close()
        return ""

    return lambda text: api.write(bucket, record=text), end, ["self"]


CONTESTANTS = {"nothing": nothing, "switchover": switchover, "influxdb-client": influxdb_client}


def rss_mb(pid: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    sys.exit(main())
