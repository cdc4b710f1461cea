"""What is told of each label of a load."""

import json
import random
from pathlib import Path

import pytest

from support.request_tables import table_of
from switchover.cli.main import main
from switchover.figures import latency as labels
from switchover.figures.latency import measure_labels
from switchover.model.failure_kind import FailureKind
from synthetic import SECOND, sample


def test_each_label_has_its_counts_and_nearest_ranks() -> None:
    chance = random.Random(5)
    samples = []
    for name, number in (("home", 300), ("cart", 200), ("it's", 1)):
        for at in range(number):
            took = chance.randint(1, 3 * SECOND)
            one = sample(at * 1000, at * 1000 + took)._replace(label=name)
            samples.append(one._replace(success=False, error=FailureKind.STATUS) if at % 10 == 3 else one)
    samples.append(sample(1, 2, success=False, error=FailureKind.GENERATOR)._replace(label="cart"))
    found, more = measure_labels(table_of(samples))
    assert more == 0
    assert [(one.label, one.total, one.failed) for one in found] == [
        ("home", 300, 30),
        ("cart", 200, 20),
        ("it's", 1, 0),
    ]
    for label in found:
        ranked = sorted(s.end_us - s.start_us for s in samples if s.label == label.label and s.success)
        exact = tuple(ranked[-(-len(ranked) * share // 100) - 1] / 1000 for share in (50, 95, 99))
        assert (label.p50_ms, label.p95_ms, label.p99_ms) == exact


def test_of_many_labels_the_common_ones_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "LABELS", 3)
    samples = [
        sample(at, at + 5)._replace(label=f"item {number}") for number in range(10) for at in range(number + 1)
    ]
    found, more = measure_labels(table_of(samples))
    assert [one.label for one in found] == ["item 9", "item 8", "item 7"] and more == 7


def test_page_and_json_have_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jtl"
    rows = [f"{1_767_225_600_000 + at * 10},{at % 7 + 1},page {at % 12},200,true" for at in range(120)]
    path.write_text("\n".join(["timeStamp,elapsed,label,responseCode,success", *rows, ""]), encoding="utf-8")
    assert main(["report", str(path), "--json"]) == 0
    load = json.loads(capsys.readouterr().out)["load"]
    assert len(load["labels"]) == 12 and load["more_labels"] == 0
    assert load["labels"][0] == {
        "label": "page 0", "total": 10, "failed": 0, "p50_ms": 4.0, "p95_ms": 7.0, "p99_ms": 7.0,
    }  # fmt: skip
    page = (tmp_path / "a-report" / "report.html").read_text(encoding="utf-8")
    assert "load, by label" in page and "page 11" in page
