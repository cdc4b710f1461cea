"""The forms of the web page. With them comes Locust, which makes a process cooperative: no unit test wants that."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from fuzz.target import Target
from switchover.locust.page.request_checks import refusal_of_fields


def _web_form(data: bytes) -> None:
    refusal_of_fields(dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True)))


TARGETS: Mapping[str, Target] = {"web-form": Target(_web_form, longest=1024)}
