"""Files that are not as the run left them are named, what they source is unknown, and the pair is not blamed."""

import gzip
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.damage import (
    KINDS,
    cut,
    cut_at_a_line,
    damage,
    figures_of,
    flip,
    lose_a_line,
    what_is_wrong,
    zero_a_part,
)
from support.kept_runs import kept_run
from support.run_directories import written
from switchover.evidence.run_data import load
from switchover.verdict.judge import judge
from synthetic import drill, simulate

FLAWS = ("file_damaged", "record_ends", "count_differs")


CASES = [
    ("keepalived-kill", "journal.lp", 137341, "file_damaged", {}, True),
    ("keepalived-kill", "journal.lp", 0, "record_ends", {"early_s": pytest.approx(25.6, abs=0.05)}, True),
    ("keepalived-kill", "probes.jtl", 83163, "count_differs", {"found": 508, "recorded": 636}, False),
]


@pytest.mark.parametrize(("run", "file", "size", "code", "figures", "has_outage"), CASES)
def test_a_run_without_seals_is_compared_with_what_it_recorded(
    run: str, file: str, size: int, code: str, figures: dict[str, Any], has_outage: bool, tmp_path: Path
) -> None:
    path = kept_run(run, tmp_path) / file
    path.write_bytes(path.read_bytes()[:size])
    verdict = judge(load(path.parent))
    assert verdict.record.status.value == "INVALID" and verdict.record.exit_code == 2
    (flaw,) = (reason for reason in verdict.record.reasons if reason.code in FLAWS)
    assert (flaw.code, flaw.figures) == (code, flaw.figures | figures | {"name": file})
    assert (verdict.record.split_brain_ms is None) == (file == "journal.lp")
    assert (verdict.events.outage is not None) == has_outage


Sealed = Callable[[int | None], tuple[Path, dict[str, Any]]]
"""A run, simulated with this seed or a drill, and its figures."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    """Each is made once, and left whole."""

    @cache
    def run(seed: int | None) -> tuple[Path, dict[str, Any]]:
        whole = written(tmp_path_factory.mktemp("sealed") / "whole", drill() if seed is None else simulate(seed))
        return whole, figures_of(whole)

    return run


@pytest.mark.parametrize("number", range(30))
def test_no_damage_to_a_sealed_run_gives_another_figure_with_an_exit_code_of_0_or_1(
    number: int, sealed: Sealed, tmp_path: Path
) -> None:
    whole, before = sealed(number % 3 if number % 2 else None)
    damaged = tmp_path / "damaged"
    shutil.copytree(whole, damaged)
    misfortune = damage(damaged, random.Random(number), KINDS)
    assert what_is_wrong(before, damaged) == [], misfortune


@pytest.mark.parametrize("number", range(6))
def test_no_cut_of_a_run_without_seals_gives_another_figure_with_an_exit_code_of_0_or_1(
    number: int, tmp_path: Path
) -> None:
    directory = kept_run(("keepalived-kill", "haproxy-kill-locust")[number % 2], tmp_path)
    before = figures_of(directory)
    misfortune = damage(directory, random.Random(number), (cut, cut_at_a_line))
    assert what_is_wrong(before, directory) == [], misfortune


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("name", ["access-web1.csv", "samples.jtl"])
def test_no_damage_to_a_file_without_a_seal_breaks_the_limit_of_what_is_unaccounted(
    name: str, number: int, tmp_path: Path
) -> None:
    path = kept_run("haproxy-drain", tmp_path) / name
    header, *lines = path.read_bytes().splitlines(keepends=True)
    rows, _ = (flip, lose_a_line, zero_a_part)[number % 3](b"".join(lines), random.Random(number))
    path.write_bytes(header + rows)
    found = figures_of(path.parent)
    assert not found["accounting"]["unaccounted"] or found["verdict"] == "INVALID"
    assert [one for one in found["limits"] if one["state"] == "exceeded"] == []


def test_a_log_that_does_not_match_its_seal_is_the_one_reason(tmp_path: Path) -> None:
    directory = written(tmp_path / "run", drill())
    with (directory / "probes.jtl").open("ab") as file:
        file.write(b"1700000000000,5\n")
    codes = [reason.code for reason in judge(load(directory), []).record.reasons]
    assert codes == ["file_damaged"]


def test_a_compressed_log_is_held_against_the_seal_of_its_text(tmp_path: Path) -> None:
    directory = written(tmp_path / "run", drill())
    before = figures_of(directory)
    text = (directory / "probes.jtl").read_bytes()
    (directory / "probes.jtl").unlink()
    packed = directory / "probes.jtl.gz"
    packed.write_bytes(gzip.compress(text))
    assert figures_of(directory) == before
    packed.write_bytes(gzip.compress(text[: len(text) // 2]))
    found = figures_of(directory)
    assert found["verdict"] == "INVALID" and "probes.jtl does not match its checksum" in found["reasons"][0]["text"]


@pytest.mark.parametrize("name", ["probes.jtl", "samples.jtl", "journal.lp", "journal-jmeter.lp", "access-web1.csv"])
def test_a_file_that_is_gone_never_blames_the_pair(name: str, tmp_path: Path) -> None:
    directory = kept_run("haproxy-kill-jmeter", tmp_path)
    before = figures_of(directory)
    (directory / name).unlink()
    assert what_is_wrong(before, directory) == []
    assert figures_of(directory)["accounting"]["unaccounted"] is None
