"""The points of a run on their way out: to InfluxDB (`influx/`), to Prometheus and an OTLP receiver (`metrics/`).

spec.py       what one process streams, and where to
parent.py     starts the process, hears its warnings, and takes its account: `Streaming`
process.py    the process, which no request of the load and no probe ever waits for
outside.py    the same for a lab's client, whose network has no way to a database
"""
