"""Record Locust's `request` events in the sample log and in the traffic of each second.

`recorder.py` has two code paths. `sample_kinds.py` is the fast path, for good samples of instrumented clients.
`request_event.py` reads the event of any client.
"""
