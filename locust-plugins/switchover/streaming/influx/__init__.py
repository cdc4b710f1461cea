"""A shipper posts the journals of a run directory to InfluxDB, even after the database was away.

* `destination.py`: the address and the credentials, from the URL, the target file and the environment.
* `database_client.py`: queries and administration of the database.
* `writer.py`: the post of one batch, and the meaning of the database's answer.
* `shipper.py`: all journals of a run directory, in batches from their sent offset (`rundir.sent_offset`).
* `upload.py`: `switchover upload`.
"""
