"""Import Locust once without its patches of threads and sockets, on which pytest and its workers depend."""

import os

os.environ["LOCUST_SKIP_MONKEY_PATCH"] = "1"
import locust  # noqa: F401

del os.environ["LOCUST_SKIP_MONKEY_PATCH"]
