"""Import Locust before any test imports a client: Locust patches `ssl`, which must not be in use by then."""

import locust  # noqa: F401
