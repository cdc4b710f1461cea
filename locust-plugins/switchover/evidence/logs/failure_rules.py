"""Derive the kind of a failure from the response code and the message in another program's log.

The rules are in `tables/failures.json`, and the JMeter plugin uses the same file. The operating system's error
message has precedence over the class of an exception.

A request may be interrupted by JMeter's Sample Timeout or by the end of the test. JMeter writes the same row in both
cases. Both kinds of requests count as failures, so that no failure is hidden.
"""

import json
import re

from switchover.model.failure_kind import FailureKind
from switchover.tables import read_table

K = FailureKind

_RULES = json.loads(read_table("failures.json"))

WORDS = tuple((K(rule["kind"]), tuple(rule["words"])) for rule in _RULES["messages"])
"""Words in lower case. A rule applies if the code or the message contains its word."""

TYPES = tuple((K(rule["kind"]), tuple(rule["types"]), rule.get("message", "")) for rule in _RULES["exceptions"])
"""The class of an exception in the response code, and a word that the message must contain."""

_THROWN = "^Non HTTP response code: (?:[\\w.$]*[.$])?(\\w+)"
_STATUS = "[1-5][0-9]{2}"


def kind_of_failure(code: str, message: str) -> FailureKind | None:
    """Return the kind of a failure; None if the code and the message do not show the kind."""
    if re.fullmatch(_STATUS, code):
        return K.STATUS if int(code) >= 400 else K.ASSERTION
    text = f"{code} {message}".lower()
    for kind, words in WORDS:
        if any(word in text for word in words):
            return kind
    thrown = re.match(_THROWN, code)
    if thrown is None:
        return None
    for kind, types, word in TYPES:
        if thrown[1] in types and word in text:
            return kind
    return K.PROTOCOL


def failure_sql(code: str, message: str) -> str:
    """Return SQL that computes `kind_of_failure`, with an empty text for None. `code` and `message` are SQL that is
    never NULL."""
    text = f"lower({code} || ' ' || {message})"
    thrown = f"regexp_extract({code}, '{_THROWN}', 1)"
    whens = [
        f"WHEN regexp_full_match({code}, '{_STATUS}') THEN "
        f"CASE WHEN {code} >= '400' THEN '{K.STATUS}' ELSE '{K.ASSERTION}' END"
    ]
    for kind, words in WORDS:
        contained = " OR ".join(f"contains({text}, '{word.replace(chr(39), chr(39) * 2)}')" for word in words)
        whens.append(f"WHEN {contained} THEN '{kind}'")
    for kind, types, word in TYPES:
        named = " OR ".join(f"{thrown} = '{name}'" for name in types)
        whens.append(f"WHEN ({named}) AND contains({text}, '{word}') THEN '{kind}'")
    whens.append(f"WHEN {thrown} <> '' THEN '{K.PROTOCOL}'")
    return f"CASE {' '.join(whens)} ELSE '' END"
