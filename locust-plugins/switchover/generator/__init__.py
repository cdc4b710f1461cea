"""Load beside the metronome: users who wait for their answers, in processes of their own.

load.py          what a drill needs of a load: `Load`
locust_load.py   Locust as the load of a drill
plans/           the load where no plan was given
"""
