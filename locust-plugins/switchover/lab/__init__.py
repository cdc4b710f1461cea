"""The lab: a real HA pair in namespaces. This file imports nothing, because every host's agent loads this file."""
