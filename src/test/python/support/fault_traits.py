"""`python -m support.fault_traits`: writes faults/faults.json anew from the catalogue, for JMeter's half.

And contract/made_up_fault.json: the same of a fault that is not there, by which tests see that a trait counts.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from support.contract import FOLDER
from switchover.faults import catalogue
from switchover.faults.catalogue import CATALOGUE, CHANGES
from switchover.faults.fault import Fault
from switchover.faults.node_down import NodeDown

FILE = Path(catalogue.__file__).with_name("faults.json")
MADE_UP_FILE = FOLDER / "made_up_fault.json"


class PullThePlug(NodeDown):
    """A fault that is not in the catalogue, and cuts the way to the node."""

    name = "pull-the-plug"
    cuts_the_way = True


def format_traits(faults: Iterable[Fault]) -> str:
    """The file's text: a fault a line, so that a new one is one line of a diff."""
    lines = (f"  {json.dumps(fault.name)}: {json.dumps(asdict(fault.traits()))}" for fault in faults)
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(format_traits({**CATALOGUE, **CHANGES}.values()), encoding="utf-8")
    MADE_UP_FILE.write_text(format_traits([PullThePlug()]), encoding="utf-8")
