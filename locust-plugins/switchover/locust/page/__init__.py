"""The Switchover page of the web UI of Locust: a run while it goes on, its controls and its tables."""
