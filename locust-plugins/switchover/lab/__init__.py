"""The lab: a real HA pair on one machine, in namespaces of its own, which ends with the process that started it.

`lab.Lab` runs one, `spec.LabSpec` says what it is made of. Nothing is imported here, because every host of a lab is a
Python process that loads this package, and fast starts matter.
"""
