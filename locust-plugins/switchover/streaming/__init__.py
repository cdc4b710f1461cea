"""The streaming of a run's points to InfluxDB (`influx/`), to Prometheus and to an OTLP receiver (`metrics/`).

* `parent.py`: the parent's side, `Streaming`. It starts the process, reads its warnings and takes its account.
* `process.py`: the process. No request of the load and no probe ever waits for it.
* `outside.py`: streaming for a lab's client, whose network has no route to a database.
"""
