"""Stream the points of a run to InfluxDB (`influx/`), to Prometheus and to an OTLP receiver (`metrics/`)."""
