"""The plugin as a locustfile: `locust -f my.py,<this file>` loads it without a change to my.py."""

import switchover.locust  # noqa: F401
