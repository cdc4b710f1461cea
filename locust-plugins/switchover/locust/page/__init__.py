"""The Switchover page of Locust's web UI: a run while it goes on, with buttons to fire and to heal.

routes.py           the page, its link, its state, fire and heal
request_checks.py   who may ask and fire; swarm_form.py: Locust's own forms
live_run.py         the state of the present run
run_observer.py     its journals: events and holders of the address; timeline.py: traffic
"""
