"""The lab: a real HA pair on one machine, in namespaces of its own, which ends with whoever started it."""

from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import CheckKind, KeepalivedPair, LabSpec

__all__ = ["CheckKind", "KeepalivedPair", "LabSpec", "parse_keepalived"]
