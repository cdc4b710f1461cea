"""Streaming: a follower posts the journals of a run directory to InfluxDB, whatever becomes of that meanwhile.

destination.py   where to, and as whom: the URL, the target file, the environment
answer.py        what the database's answer means
writer.py        one batch, posted
sent.py          how far a journal has been acknowledged, kept beside it
batches.py       the next lines of a journal
courier.py       one journal's points, from its offset on
follower.py      all journals of a run directory
process.py       the follower as a process of its own
parent.py        who starts it and asks it to finish
upload.py        `switchover upload`
"""
