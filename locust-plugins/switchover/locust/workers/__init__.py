"""Runs over several processes: the master and its workers.

worker.py       a worker process and its part of a run; outbox.py: what it sends, again until acknowledged
worker_list.py  the workers of a run, in the master, and what is accepted of them
messages.py     messages between them
"""
