"""The Switchover page of Locust's web UI, which shows the current run and has buttons to fire and heal a fault.

* `routes.py`: the page, its link, its state, fire and heal.
* `request_checks.py`: checks whether a request may read the page or fire a fault, and checks Locust's own forms.
* `live_run.py`: the state of the current run.
* `run_observer.py`: reads the run's journals: events, holders of the address, and the traffic of each second.
"""
