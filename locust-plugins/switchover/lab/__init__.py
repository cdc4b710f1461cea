"""The lab: a real HA pair on one machine, in separate namespaces. The lab ends when its first process ends.

`lab.Lab` runs a lab, and `spec.LabSpec` describes a lab. This file imports nothing, because every host of a lab is a
Python process that loads this package and must start fast.
"""
