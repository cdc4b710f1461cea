"""The code of docs/notebook.md, from top to bottom, against real servers: what comes out is what the verdicts say."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.checkout import CHECKOUT
from support.influxdb import PASSWORD, TOKEN, USER, InfluxDB
from support.kept_runs import kept_run
from switchover.cli.main import main
from switchover.rundir.run_directory import read_run, write_run

pytestmark = [pytest.mark.integration, pytest.mark.beside]

RUNS = ("haproxy-kill-jmeter", "node-down", "partition")
"""In the order of their times."""
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
Names = dict[str, Any]


@pytest.fixture(scope="module")
def verdicts(influx: InfluxDB, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    """Of real runs, which are in the database `notebook`."""
    folder, found = tmp_path_factory.mktemp("runs"), []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in influx.environment.items():
            patch.setenv(name, value)
        url = influx.create("notebook")
        for name in RUNS:
            directory = kept_run(name, folder)
            run = read_run(directory)
            run.versions |= {"haproxy": "2.6.12", "keepalived": "2.2.7"}
            write_run(directory, run)
            assert main(["report", str(directory)]) in (0, 1)
            assert main(["upload", str(directory), "--influx", url]) == 0
            found.append(json.loads((directory / "verdict.json").read_bytes()))
    yield found


@pytest.fixture(scope="module")
def notebook(influx: InfluxDB, verdicts: list[dict[str, Any]]) -> Names:
    """The names that the page's code has made at its end."""
    code = "".join(BLOCK.findall((CHECKOUT / "docs" / "notebook.md").read_text(encoding="utf-8")))
    assert code.count('"http://influx:8086", "drills"') == 1
    names: Names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SWITCHOVER_INFLUX_TOKEN", TOKEN if influx.kind == "2.7" else f"{USER}:{PASSWORD}")
        code = code.replace('"http://influx:8086", "drills"', f'"{influx.url}", "notebook"')
        exec(compile(code, "docs/notebook.md", "exec"), names)
    return names


def test_the_runs_are_there_with_their_figures(notebook: Names, verdicts: list[dict[str, Any]]) -> None:
    for row, verdict in zip(notebook["runs"].to_dict("records"), verdicts, strict=True):
        assert (row["run"], row["word"], row["trusted"]) == (verdict["run"], verdict["word"], verdict["trusted"])
        assert (row["outage_low_ms"], row["outage_high_ms"]) == tuple(
            verdict["outage"][end] for end in ("low_ms", "high_ms")
        )
        assert row["target"] == "lab"


def test_the_last_run_is_read_second_by_second(notebook: Names, verdicts: list[dict[str, Any]]) -> None:
    probes, verdict = notebook["probes"], verdicts[-1]["probes"]
    assert (int(probes["failed"].sum()), int(probes.to_numpy().sum())) == (verdict["failed"], verdict["total"])
    assert (probes.index.to_series().diff().dropna().dt.total_seconds() == 1).all()
    assert notebook["events"].set_index("kind").loc["fault", "after_s"] == 0
    assert int(notebook["by_second"]("switchover_probes", "balancer").to_numpy().sum()) > 0


def test_the_histograms_of_a_run_add_up_to_its_percentiles(notebook: Names, verdicts: list[dict[str, Any]]) -> None:
    whole, latency = notebook["whole"], verdicts[-1]["probes"]["latency_ms"]["from_schedule"]
    counted = verdicts[-1]["probes"]
    assert whole.get_total_count() == counted["total"] - counted["failed"]
    for share, name in ((50, "p50"), (99, "p99")):
        assert whole.get_value_at_percentile(share) / 1000 == pytest.approx(latency[name], rel=0.02)


def test_a_year_has_the_outages_and_the_words_of_its_runs(notebook: Names, verdicts: list[dict[str, Any]]) -> None:
    outages, words = notebook["outages"], notebook["words"]
    for verdict in verdicts:
        fault = verdict["prediction"]["fault"]
        assert outages.loc[("lab", fault)]["median"].tolist() == [verdict["outage"]["high_ms"]]
        assert words.loc[("lab", fault), verdict["word"]] == 1
    assert notebook["above"].empty
    assert notebook["by_version"]["count"].sum() == len(verdicts)
    broken = [budget["name"] for verdict in verdicts for budget in verdict["budgets"] if budget["state"] == "broken"]
    assert notebook["broken"]["name"].tolist() == broken
