"""Load beside the prober: users who wait for their answers, in processes of their own.

load_process.py      what a drill needs of a load: `Load`; one that is a process of its own
locust.py            Locust as the load of a drill
jmeter.py            JMeter as the load of a drill
jmeter_plan.py       the JMeter that does it, and the test plan that it is given
plans/               the load where no plan was given
"""
