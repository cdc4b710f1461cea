"""Runs over several processes: the master and its workers.

worker.py       a worker process and its part of a run; outbox.py: what it sends, again until acknowledged
worker_list.py  the workers of a run, in the master; worker_state.py: what is accepted of one
messages.py     messages between them
"""
