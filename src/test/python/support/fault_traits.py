"""`python -m support.fault_traits`: writes tables/faults.json anew from the catalogue, for JMeter's half.

And contract/made_up_fault.json: the same of a fault that is not there, by which tests see that a trait counts.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from support.checkout import CHECKOUT
from support.contract import FOLDER
from switchover.faults.catalogue import CATALOGUE, CHANGES
from switchover.faults.mechanism import Mechanism

FILE = CHECKOUT / "locust-plugins" / "switchover" / "tables" / "faults.json"
MADE_UP_FILE = FOLDER / "made_up_fault.json"


TRAITS = ("kind", "victim", "cuts_the_way", "heals_itself", "sources")
"""The traits that JMeter's half needs; each means what it means in `Mechanism`."""

PULL_THE_PLUG = replace(CATALOGUE["node-down"], name="pull-the-plug")
"""A fault that is not in the catalogue, and cuts the way to the node."""


def format_traits(faults: Iterable[Mechanism]) -> str:
    """The file's text: a fault a line, so that a new one is one line of a diff."""
    lines = (
        f"  {json.dumps(fault.name)}: {json.dumps({trait: getattr(fault, trait) for trait in TRAITS})}"
        for fault in faults
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(format_traits({**CATALOGUE, **CHANGES}.values()), encoding="utf-8")
    MADE_UP_FILE.write_text(format_traits([PULL_THE_PLUG]), encoding="utf-8")
