"""The Switchover page of Locust's web UI, which shows the current run and has buttons to fire and heal a fault."""
