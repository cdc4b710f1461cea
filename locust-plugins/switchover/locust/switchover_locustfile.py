"""The plugin as a locustfile: `locust -f my.py,<this file>` loads the plugin without a change to my.py."""

import switchover.locust  # noqa: F401
