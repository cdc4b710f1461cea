"""The Switchover page of Locust's web UI: a run while it goes on, its controls and its tables.

page.py             puts the page under the web UI; routes.py
request_checks.py   who may ask and fire; swarm_form.py: Locust's own forms
live_run.py         the state of the present run; fire and heal
run_observer.py     reads its journals: events, holders of the address; timeline.py, counters.py
verdict_excerpt.py  the part of verdict.json that the page shows
"""
