"""The lab: a real HA pair in namespaces. This file imports nothing, because the agents of all lab hosts load this
file."""
