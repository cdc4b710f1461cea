"""The long checks: real drills, again and again, against a packet capture and against theory.

cases.py     which faults, how often, in which lab
drills.py    runs them and keeps what each said
pages.py     the tables in docs/ that are made from it
coverage.py  the printed intervals against a capture; make_drills.py the command of `make drill` many times
"""
