"""Post the journals of a run directory to InfluxDB, even after the database was down.

* `destination.py`: the address and the credentials, from the URL, the target file and the environment.
* `database_client.py`: queries and administration of the database.
* `writer.py`: the post of one batch, and the meaning of the database's answer.
* `shipper.py`: the posts of all journals of a run directory, from their stored offsets (`rundir.sent_offset`).
* `upload.py`: `switchover influx upload`.
"""
