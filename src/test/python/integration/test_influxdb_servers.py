"""The databases that other tests stream to: written and asked without anything of the product in between."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.influxdb import InfluxDB, influxdb

pytestmark = pytest.mark.beside


def test_what_is_written_is_told_once_however_often_it_was_sent(influx: InfluxDB) -> None:
    influx.create("points")
    for _ in range(2):
        influx.write("points", b'm,run=a n=1i,text="x" 1000000001\nm,run=b n=2i 1000000002\n')
    found = influx.query('SELECT "n", "text" FROM "m" GROUP BY "run"', "points")
    assert [(one.tags["run"], one.rows) for one in found] == [
        ("a", ((1_000_000_001, 1, "x"),)),
        ("b", ((1_000_000_002, 2, None),)),
    ]


def test_only_a_server_with_credentials_asks_for_them(influx: InfluxDB) -> None:
    influx.create("asked")
    path = "/api/v2/write?org=drills&bucket=asked" if influx.kind == "2.7" else "/write?db=asked"
    request = urllib.request.Request(influx.url + path, b"m n=1i 1", method="POST")
    if not influx.environment:
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 204
        return
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        urllib.request.urlopen(request, timeout=10)
    refused.value.close()


def test_a_server_that_was_killed_comes_back_with_its_points_at_its_port(tmp_path: Path) -> None:
    with influxdb("1.8", tmp_path / "server") as server:
        server.create("kept")
        server.write("kept", b"m n=1i 1")
        url = server.url
        server.kill()
        server.start()
        assert server.url == url
        assert [one.rows for one in server.query('SELECT "n" FROM "m"', "kept")] == [((1, 1),)]
