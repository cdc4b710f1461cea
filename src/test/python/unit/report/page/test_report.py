"""report.html as it is written: its text, its tables and the data of its charts."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from support.changes import series
from support.pages import verdict_of
from support.report_runs import RUNS, loaded
from support.run_directories import written
from support.verdict_scenarios import observed
from switchover.evidence.run_data import RunData
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.report.make_report import make_report
from synthetic import FIRED, SECOND, drill, probes, sample

LIMIT = 1_500_000
"""Bytes of a page; most of it is the library that draws."""


class Page(HTMLParser):
    """The content of the file for a reader: texts, data and scripts."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.text = ""
        self.scripts: list[str] = []
        self.policy = ""
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.source = (directory / "report.html").read_text(encoding="utf-8")
        self.feed(self.source)
        self.data: dict[str, Any] = json.loads(self.scripts[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"] or ""
        if tag == "script":
            self.scripts.append("")
        if tag not in ("meta", "link", "br"):
            self._open.append((tag, named))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self._open]
        if "script" in tags:
            self.scripts[-1] += data
        elif "style" not in tags:
            self.text += data


def page_of(tmp_path: Path, data: RunData) -> Page:
    directory = written(tmp_path / "run", data)
    make_report(directory)
    return Page(directory)


@pytest.mark.parametrize("kind", RUNS)
def test_the_tables_have_the_counts_of_the_verdict(tmp_path: Path, kind: str) -> None:
    page = page_of(tmp_path, RUNS[kind]())
    verdict = verdict_of(tmp_path / "run")
    for population in filter(None, (verdict["samples"], verdict["probes"])):
        for counts in population["by_phase"].values():
            assert f"{counts['total']:,}" in page.text and f"{counts['failed']:,}" in page.text
    for line in verdict["accounting"]["lines"]:
        assert line["name"] in page.text and f"{line['client']:,}" in page.text
    assert len(page.source.encode()) < LIMIT


def test_what_each_source_saw_of_the_fault_and_of_the_pair_is_a_table(tmp_path: Path) -> None:
    page = page_of(tmp_path, observed("outage=5s", server_back=False))
    section = page.source[page.source.index('id="checks"') : page.source.index('id="traffic"')]
    verdict = make_report(tmp_path / "run").record
    assert verdict.confirmation is not None and verdict.restoration is not None
    for check in (*verdict.confirmation.checks, *verdict.restoration.checks):
        assert check.text in section
    assert "Confirmation of the fault" in section and "The pair after the heal" in section and ">NO<" in section


def test_only_its_own_scripts_may_run_and_nothing_is_fetched(tmp_path: Path) -> None:
    page = page_of(tmp_path, drill())
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-")
    for script in page.scripts[1:]:
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in page.policy
    assert len(page.scripts) == 3
    own = page.source.replace(page.scripts[1], "")
    assert not re.search(r"(?:src|href)=[\"'](?!#)", own)


HOSTILE = "</script><script>alert(1)</script><b onclick=x>\u202eabc {{ 7*7 }} \u0000"


def test_names_from_the_network_are_text(tmp_path: Path) -> None:
    identity = Identity(HOSTILE, HOSTILE, AnsweredBy.BACKEND)
    data = drill(probes=[one if one.error else one._replace(identity=identity) for one in probes()])
    page = page_of(tmp_path, data)
    assert len(page.scripts) == 3
    assert "<b onclick" not in page.source and "alert(1)</script>" not in page.source
    (found,) = {name for one in page.data["populations"] for name in one["backends"]}
    assert found.startswith("</script><script>alert(1)")


def test_what_the_charts_draw_adds_up_to_the_verdict(tmp_path: Path) -> None:
    page = page_of(tmp_path, loaded())
    verdict = verdict_of(tmp_path / "run")
    for drawn, key in zip(page.data["populations"], ("samples", "probes"), strict=True):
        failed = {kind: sum(counts) for kind, counts in drawn["failed"].items()}
        assert failed == verdict[key]["by_kind"]
        for what in ("backends", "balancers"):
            good = sum(map(sum, drawn[what].values()))
            assert good + sum(drawn["late"]) + sum(failed.values()) == verdict[key]["total"]
        assert len(drawn["late"]) == len(page.data["starts"])


def test_a_backend_fault_costs_a_part(tmp_path: Path) -> None:
    identity = Identity("", "lb1", AnsweredBy.BALANCER)
    bad = [
        sample(p.start_us, p.end_us, success=False, error=FailureKind.STATUS, identity=identity)
        if FIRED <= p.start_us < FIRED + SECOND and p.start_us // 10_000 % 3 == 0
        else sample(p.start_us, p.start_us + 300)
        for p in probes()
    ]
    data = drill(probes=bad)
    assert data.run.fault is not None
    data.run.fault.kind, data.run.fault.name, data.run.fault.victim = "backend", "backend-kill", "web1"
    page = page_of(tmp_path, data)
    assert "partial: some requests were answered" in page.text


def test_a_series_of_changes_has_a_table_by_kind_and_its_losses(tmp_path: Path) -> None:
    make_report(series(tmp_path / "run", times=3))
    page = Page(tmp_path / "run")
    assert "By kind of connection" in page.text
    losses = page.source[page.source.index("<caption>Losses</caption>") :]
    assert re.findall(r"<bdi>((?:pooled|upload) \S+)</bdi>", losses) == ["pooled 2.1", "upload 1.1"]
    assert "unknown" in losses, "an upload whose process was not told"
