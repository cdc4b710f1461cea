"""Post the journals of a run directory to InfluxDB. If the database is down, the points are posted later.

* `destination.py`: the address and the credentials, from the URL, the target file and the environment.
* `database_client.py`: queries and administration of the database.
* `writer.py`: posts one batch, and interprets the database's answer.
* `shipper.py`: posts all journals of a run directory, starting at their stored offsets (`rundir.sent_offset`).
"""
