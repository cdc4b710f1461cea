"""Runs over several processes: the master and its workers.

worker.py           a worker process; worker_run.py: its part of one run
worker_list.py      the workers of a run, in the master; worker_state.py: one of them, and what is accepted of it
single_process.py   the same for a run without workers
messages.py         messages between them; outbox.py: sent again until acknowledged
run_description.py  what a worker must know of a run; clock_sync.py: how far the clocks are apart
"""
