"""The recording of Locust's `request` events in the sample log and in the traffic of each second.

* `process_recording.py`: the recording of one process.
* `recorder.py`: events become rows and traffic.
* `sample_kinds.py`: the fast path for good samples, and the traffic of each second.
* `request_event.py`: the slow path for the event of any client.
* `request_facts.py`: the facts that an instrumented client adds to the event, and the run's clock.
* `open_requests.py`: requests that have begun and are not yet recorded.
* `attribution.py`: the server that answered.
* `failures.py`: the kind of a failure.
"""
