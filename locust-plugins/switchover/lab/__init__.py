"""The lab: a real HA pair in namespaces. This file imports nothing, because all hosts of a lab load this file."""
