"""Runs with several processes: the master and its workers.

* `worker.py`: a worker process and its part of a run.
* `outbox.py`: the worker's messages, which are repeated until acknowledged.
* `worker_list.py`: the workers of a run, in the master.
* `worker_state.py`: the state of one worker, in the master.
* `messages.py`: the messages between the master and the workers.
"""
