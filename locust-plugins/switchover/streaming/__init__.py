"""Points on their way out of the run directory: to InfluxDB, while a run goes on or later."""
