"""A shipper posts the journals of a run directory to InfluxDB, also after the database was away.

destination.py         where to, and as whom: the URL, the target file, the environment
write_result.py        what the database's answer means
writer.py              one batch, posted
journal_sender.py      one journal's points, a batch at a time, from its offset on (rundir.sent_offset)
shipper.py            all journals of a run directory
upload.py              `switchover upload`
"""
