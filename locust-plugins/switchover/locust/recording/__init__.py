"""Record Locust's `request` events in the sample log and in the traffic of each second.

* `process_recording.py`: the recording of one process.
* `recorder.py`: converts events to rows and traffic.
* `sample_kinds.py`: the fast code path for good samples, and the traffic of each second.
* `request_event.py`: the slow code path, which reads the event of any client.
* `request_facts.py`: the facts that an instrumented client adds to an event, and the run's clock.
* `open_requests.py`: requests that have begun but are not yet recorded.
* `attribution.py`: finds the server that answered.
* `failures.py`: finds the kind of a failure.
"""
