"""Load beside the prober: users who wait for their answers, in processes of their own.

load.py              what a drill needs of a load: `Load`
load_process.py      a load that is a process of its own
locust.py            Locust as the load of a drill
jmeter.py            JMeter as the load of a drill
jmeter_home.py       the JMeter that does it
jmeter_plan.py       the test plan that it is given
plans/               the load where no plan was given
"""
