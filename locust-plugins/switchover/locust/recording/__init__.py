"""Record Locust's `request` events in the sample log and in the traffic of each second.

`recorder.py` has two code paths: `sample_kinds.py` is fast and for good samples of instrumented clients, and
`request_event.py` reads the event of any client.
"""
