"""Ten kept drills whose main figures were worked out with pencil and paper, from the lines of their logs.

The code that is tested has no part in it: each case names the lines that were read, as they stand in the log, and the
sum that was made of them. All times are microseconds, and in sums without the digits that are the same in all of
them. An outage lasts from the last good answer before it to the first good one after it. It may have been shorter

- by what lies between that last good answer and the first failure for certain: the end of the first failed probe, or
  the time at which its answer would usually have come, if that is earlier (the 99th percentile before the fault);
- by what lies between the last failed probe's send and the first good answer.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.kept_runs import KEPT, kept_run
from switchover.evidence.requests.table import COUNTED
from switchover.evidence.run_data import load
from switchover.verdict.judge import Verdict, judge

EVERY_MS = 40.0
"""25 probes a second in each of them."""


@dataclass(frozen=True)
class Away:
    """An outage by hand."""

    run: str
    lines: tuple[str, ...]
    """The ends of the lines in `probes.jtl` that were read: when sent, when answered."""
    high_us: int
    low_us: int
    failed: int
    """Failed lines of `probes.jtl`, counted by `grep -c ',false,'`."""
    failback: bool = False
    """It came after the heal."""


AWAY = (
    Away(
        "haproxy-kill-busy",
        (
            "1795341863445624,1795341863452531",  # good, lb1
            "1795341863485624,1795341863485784",  # refused, the first
            "1795341866725668,1795341866725848",  # refused, the last
            "1795341866765622,1795341866766178",  # good, lb2
        ),
        high_us=66_766_178 - 63_452_531,  # 3,313,647
        low_us=3_313_647 - (63_485_784 - 63_452_531) - (66_766_178 - 66_725_668),
        failed=82,
    ),
    Away(
        "haproxy-kill-jmeter",
        (
            "1795341906872128,1795341906872749",
            "1795341906912120,1795341906912301",
            "1795341910432136,1795341910432285",
            "1795341910472137,1795341910482312",
        ),
        high_us=10_482_312 - 6_872_749,  # 3,609,563
        low_us=3_609_563 - (6_912_301 - 6_872_749) - (10_482_312 - 10_432_136),
        failed=89,
    ),
    Away(
        "haproxy-kill-locust",
        (
            "1795341932934339,1795341932935027",
            "1795341932974282,1795341932974470",
            "1795341936414397,1795341936414658",
            "1795341936454471,1795341936457232",
        ),
        high_us=36_457_232 - 32_935_027,  # 3,522,205
        low_us=3_522_205 - (32_974_470 - 32_935_027) - (36_457_232 - 36_414_397),
        failed=87,
    ),
    Away(
        "haproxy-kill-quiet",
        (
            "1795341861299303,1795341861299934",
            "1795341861339303,1795341861339486",
            "1795341865499280,1795341865749381",  # a time-out: it failed after the next was good
            "1795341865539270,1795341865540040",
        ),
        high_us=65_540_040 - 61_299_934,  # 4,240,106
        low_us=4_240_106 - (61_339_486 - 61_299_934) - (65_540_040 - 65_499_280),
        failed=105,
    ),
    Away(
        "nginx-kill",
        (
            "1795341999271314,1795341999271731",
            "1795341999311263,1795341999311455",
            "1795342003031330,1795342003031532",
            "1795342003071427,1795342003072417",
        ),
        high_us=103_072_417 - 99_271_731,  # 3,800,686
        low_us=3_800_686 - (99_311_455 - 99_271_731) - (103_072_417 - 103_031_330),
        failed=94,
    ),
    Away(
        "node-down",
        (
            "1795341969179370,1795341969179809",
            "1795341969219354,1795341969469466",  # a time-out after 250 ms: its answer would have come sooner
            "1795341972219356,1795341972469523",
            "1795341972259439,1795341972260083",
            "1795341968739402,1795341968758473",  # 19,071: the slowest of the 129 good answers before the kill,
            "1795341968699380,1795341968707584",  # 8,204: and the next, which is the 128th (129 * 0.99 = 127.7)
        ),
        high_us=72_260_083 - 69_179_809,  # 3,080,274
        low_us=3_080_274 - (69_219_354 + 8_204 - 69_179_809) - (72_260_083 - 72_219_356),
        failed=76,
    ),
    Away(
        "partition",
        (
            "1795342012502389,1795342012502852",
            "1795342012542450,1795342012792587",  # a time-out, as all of them
            "1795342044982369,1795342045232502",
            "1795342045022358,1795342045024954",
            "1795342005622385,1795342005626344",  # 3,959: the fourth slowest of 373 good answers before the heal
        ),
        high_us=45_024_954 - 12_502_852,  # 32,522,102
        low_us=32_522_102 - (12_542_450 + 3_959 - 12_502_852) - (45_024_954 - 44_982_369),
        failed=812,
        failback=True,
    ),
)

NONE = {
    # The longest time between two sends from the kill to the heal, of all 237, 162 and 163 of them.
    "backend-kill": ("1795341948680734", "1795341948721086", 48_721_086 - 48_680_734),
    "haproxy-drain": ("1795341980230677", "1795341980270938", 80_270_938 - 80_230_677),
    "haproxy-reload": ("1795342088521164", "1795342088561603", 88_561_603 - 88_521_164),
}
"""No probe failed: when those two were sent, and the time between them."""

SPLIT_BRAIN = {
    # lb2 got the address, lb1 had it still, and lost it when it was healed; in `partition` lb2 gave it up again.
    "keepalived-kill": (
        'node=lb2,run=20261122T100453Z-keepalived-kill state="",holds_vip=true 1795341901237976753',
        'node=lb1,run=20261122T100453Z-keepalived-kill state="",holds_vip=false 1795341908949691514',
        8_949_691 - 1_237_976,
    ),
    "partition": (
        'node=lb2,run=20261122T100637Z-partition state="",holds_vip=true 1795342005118148949',
        'node=lb2,run=20261122T100637Z-partition state="",holds_vip=false 1795342012507052057',
        12_507_052 - 5_118_148,
    ),
}


def log(run: str, name: str) -> str:
    return gzip.decompress((KEPT / run / name).read_bytes()).decode()


def judged(run: str, folder: Path) -> Verdict:
    return judge(load(kept_run(run, folder), columns=COUNTED))


@pytest.mark.parametrize("case", AWAY, ids=lambda case: case.run)
def test_an_outage_is_what_its_lines_say(case: Away, tmp_path: Path) -> None:
    lines = log(case.run, "probes.jtl.gz")
    assert all(f",{line}\n" in lines for line in case.lines)
    assert lines.count(",false,") == case.failed
    verdict = judged(case.run, tmp_path)
    outage = verdict.events.failback if case.failback else verdict.events.outage
    assert outage is not None
    assert (outage.length.low, outage.length.high) == (case.low_us, case.high_us)
    assert outage.record.loss_derived_ms == case.failed * EVERY_MS
    assert verdict.figures.probes is not None and verdict.figures.probes.failed == case.failed


@pytest.mark.parametrize("run", NONE)
def test_where_no_probe_failed_the_longest_time_between_two_is_what_none_is_known_to(
    run: str, tmp_path: Path
) -> None:
    before, after, apart_us = NONE[run]
    lines = log(run, "probes.jtl.gz")
    assert ",false," not in lines and f",{before}," in lines and f",{after}," in lines
    outage = judged(run, tmp_path).events.outage
    assert outage is not None and (outage.length.low, outage.length.high) == (0, apart_us)


@pytest.mark.parametrize("run", SPLIT_BRAIN)
def test_a_split_brain_lasts_from_the_second_owner_to_the_first_that_gives_up(run: str, tmp_path: Path) -> None:
    begun, ended, apart_us = SPLIT_BRAIN[run]
    lines = log(run, "journal.lp.gz")
    assert begun in lines and ended in lines
    assert judged(run, tmp_path).record.split_brain_ms == apart_us / 1000


def test_the_counts_of_a_load_are_those_of_its_log(tmp_path: Path) -> None:
    """Of 1,316 lines one could not be sent by its client (`generator`), so that 160 - 1 failed."""
    lines = log("haproxy-kill-busy", "samples.jtl.gz")
    assert (lines.count("\n") - 1, lines.count(",false,"), lines.count(",generator,")) == (1_316, 160, 1)
    samples = judged("haproxy-kill-busy", tmp_path).figures.samples
    assert samples is not None and (samples.total, samples.failed) == (1_316 - 1, 160 - 1)
    # In the switchover 149 of 157, in the failback 10 of 228: 159 in all.
    assert [(one.total, one.failed) for one in samples.by_phase.values()] == [
        (225, 0), (157, 149), (371, 0), (228, 10), (1_315 - 225 - 157 - 371 - 228, 159 - 149 - 10)
    ]  # fmt: skip


def test_what_a_killed_balancer_had_not_told_is_the_tail_of_its_generation(tmp_path: Path) -> None:
    """The client had 193 answers of web1 by lb1 before the kill, and lb1's last scrape 182: one was under way at that
    scrape, and 10 came after it. 182 + 1 + 10 = 193; of web2 182 + 11 = 193."""
    lines = [line for line in judged("haproxy-kill-busy", tmp_path).figures.accounting.lines if line.node == "lb1"][
        :2
    ]
    assert [(one.name, one.client, one.source, sum(one.explained_by.values())) for one in lines] == [
        ("answers by web1", 182 + 1 + 10, 182, 1 + 10),
        ("answers by web2", 182 + 11, 182, 11),
    ]
