"""The forms of a verdict for people and machines.

`console` is one screen, `page` a file for browsers, and `junit` a test case per limit. `make_report` writes all files
of `switchover report DIR` from any run directory.
"""
