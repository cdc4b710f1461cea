"""Runs with several processes: a master and its workers.

* `worker.py`: a worker process, its part of a run, and its messages, which are sent again until the master
  acknowledges them.
* `worker_list.py`: the workers of a run and the state of each worker, in the master.
* `messages.py`: the messages between the master and the workers.
"""
