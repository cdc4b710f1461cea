"""The lab: a real HA pair in Linux namespaces. This file imports nothing, because every host's agent loads this
file."""
