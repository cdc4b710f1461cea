"""locust-influxdb-listener, sending its points once a second."""

import os
from typing import Any

from locust import events
from locust_influxdb_listener import InfluxDBListener, InfluxDBSettings


@events.init.add_listener
def on_init(environment: Any, **_: Any) -> None:
    settings = InfluxDBSettings(
        influx_host="127.0.0.1", influx_port=int(os.environ["BENCHMARK_INFLUX_PORT"]), database="benchmark"
    )
    InfluxDBListener(env=environment, influxDbSettings=settings)
