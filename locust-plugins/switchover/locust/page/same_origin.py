"""Whether a request that changes something was made by the page itself, not by another site in the same browser.

Locust answers every origin (CORS `*`), so another site may read our page, with its token, where there is no
login; a cookie's SameSite knows only sites, not ports. So the browser's own word counts: `Origin`,
which it sends with every POST and no script can set, and `Sec-Fetch-Site` where it sends that. The token proves in
addition that the page was read, which no simple form of another site can do.
"""

import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

TOKEN_HEADER = "X-Switchover-Token"
REFUSED = "refused: this can be asked only from the Switchover page itself; reload it and try again"


def new_token() -> str:
    return secrets.token_urlsafe(32)


def refusal(headers: Mapping[str, str], host: str, token: str) -> str | None:
    """Why the request is not to be trusted; None if it is. `host` is the address that the request was sent to."""
    given = headers.get(TOKEN_HEADER, "")
    if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return REFUSED
    if not headers.get("Content-Type", "").lower().startswith("application/json"):
        return REFUSED  # what a form cannot send
    return REFUSED if is_foreign(headers, host) is not False else None


def is_foreign(headers: Mapping[str, str], host: str) -> bool | None:
    """Whether a browser says that another site made the request; None if no browser says anything."""
    fetch_site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    if fetch_site is not None:
        return fetch_site != "same-origin"
    if origin is None:
        return None
    try:
        return not urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return True
