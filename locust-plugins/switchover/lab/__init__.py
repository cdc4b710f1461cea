"""The lab: a real HA pair on one machine, in separate namespaces, which ends with the process that started it.

`lab.Lab` runs one, and `spec.LabSpec` describes it. Nothing is imported here, because every host of a lab is a
Python process that loads this package, and must start fast.
"""
