"""Made points of runs that no lab here has: one with a hundred backends, one whose service never came back."""

from collections.abc import Iterator

SECONDS = 60
FAULT_AT_S = 20
BACKENDS = 100
SLOW, AWAY = "web042", "web077"
"""One backend that answers ten times as slowly, and one that answers nothing from the fault on."""


def many_backends(start_ms: int) -> bytes:
    """A minute of a load over a hundred backends, ten requests a second each, and what two HAProxys tell of them."""
    run, backends = "made-100-backends", [f"web{number:03d}" for number in range(BACKENDS)]
    return _joined([*_traffic(run, start_ms, backends), *_told_by_haproxy(run, start_ms, backends)])


def never_recovered(start_ms: int) -> bytes:
    """A minute of probes and a load that all fail from the fault on, and its verdict."""
    run = "made-never-recovered"
    end_ns = _at(start_ms, SECONDS)
    lines = list(_traffic(run, start_ms, ["web1", "web2"], comes_back=False))
    lines.append(
        f"switchover_verdict,run={run},fault=haproxy-kill,generator=locust "
        'word="NOT RECOVERED",trusted=true,exit_code=1i,recovered=false,outage_low_ms=40000.0,split_brain_ms=0.0,'
        f"failed_percent=100.0,failed=800i,samples=1200i,probes=1200i,probes_failed=800i,unaccounted=0i {end_ns}"
    )
    return _joined(lines)


def _traffic(run: str, start_ms: int, backends: list[str], *, comes_back: bool = True) -> Iterator[str]:
    for kind, second in (("start", 0), ("fault", FAULT_AT_S), ("end", SECONDS)):
        yield f'switchover_event,run={run},kind={kind} text="haproxy-kill" {_at(start_ms, second)}'
    for second in range(SECONDS):
        at = _at(start_ms, second)
        failing = second >= FAULT_AT_S and (not comes_back or second < FAULT_AT_S + 4)
        if failing:
            rest = f"run={run},outcome=failed,answered_by=none"
            lost = _counted(10 * len(backends), 1.0)
            yield f"switchover_requests,{rest},generator=locust,label=GET\\ / {lost} {at}"
        for backend in [] if failing else backends:
            if backend == AWAY and second >= FAULT_AT_S:
                continue
            ms = 50.0 if backend == SLOW else 5.0
            rest = f"run={run},backend={backend},balancer=lb{1 if second < FAULT_AT_S else 2},outcome=good"
            yield f"switchover_requests,{rest},generator=locust,label=GET\\ / {_counted(10, ms)} {at}"
        tags = "" if failing else f",backend={backends[0]},balancer=lb1"
        fields = 'count=20i,rt_sum=20.0,rt_min=1.0,rt_max=1.0,p50=1.0,p90=1.0,p95=1.0,p99=1.0,hdr="made"'
        outcome = "failed,error=refused" if failing else "good"
        yield f"switchover_probes,run={run}{tags},outcome={outcome},stream=fresh {fields} {at}"


def _told_by_haproxy(run: str, start_ms: int, backends: list[str]) -> Iterator[str]:
    """Of both balancers, all the time: the second one serves from the fault on, and takes one server for down."""
    for second in range(SECONDS):
        at = _at(start_ms, second)
        for node in ("lb1", "lb2"):
            serving = (node == "lb1") == (second < FAULT_AT_S)
            served = 10 * (min(second, FAULT_AT_S) if node == "lb1" else max(0, second - FAULT_AT_S))
            yield f"switchover_scrape,node={node},run={run},source=haproxy duration_ms=5.0,ok=true {at}"
            for backend in backends:
                down = backend == AWAY and second >= FAULT_AT_S
                figures = {"scur": 1 if serving else 0, "req_tot": served, "rtime": 50 if backend == SLOW else 5}
                figures |= dict.fromkeys(("qcur", "hrsp_5xx", "econ", "eresp", "wretr", "wredis"), 0)
                fields = ",".join(f"{name}={value}i" for name, value in figures.items())
                yield (
                    f"switchover_haproxy,node={node},proxy=web,run={run},server={backend},type=server "
                    f'{fields},status="{"DOWN" if down else "UP"}",generation="1-1" {at}'
                )


def _counted(count: int, ms: float) -> str:
    times = ",".join(f"{name}={ms}" for name in ("rt_min", "rt_max", "p50", "p90", "p95", "p99"))
    return f'count={count}i,rt_sum={count * ms},{times},hdr="made"'


def _at(start_ms: int, second: int) -> int:
    return (start_ms + 1000 * second) * 1_000_000


def _joined(lines: Iterator[str] | list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
