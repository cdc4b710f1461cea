"""Stream the points of a run to InfluxDB (`influx/`), to Prometheus and to an OTLP receiver (`metrics/`).

* `parent.py`: `Streaming`, with which the parent starts the process and reads its warnings and its account.
* `process.py`: the streaming process. The load and the prober never wait for it.
* `outside.py`: streaming for a lab's client, whose network has no route to a database.
"""
