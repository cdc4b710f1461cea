"""The JMeter-style listener of locust-plugins, writing its CSV."""

import os
from typing import Any

from locust import events
from locust_plugins.listeners.jmeter import JmeterListener


@events.init.add_listener
def on_init(environment: Any, **_: Any) -> None:
    JmeterListener(env=environment, results_filename=os.environ["BENCHMARK_CSV"])
