"""Post the journals of a run directory to InfluxDB. If the database is down, the points are posted later."""
