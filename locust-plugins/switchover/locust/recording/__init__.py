"""From Locust's `request` events to the sample log and the traffic of each second.

process_recording.py  the recording of one process
recorder.py           events to rows and traffic; sample_kinds.py: the short way for good samples
request_event.py      the long way: any client's event
request_facts.py      what a watched client adds to the event
attribution.py        who answered; failures.py: why a request failed
traffic_count.py      the traffic of each second
"""
