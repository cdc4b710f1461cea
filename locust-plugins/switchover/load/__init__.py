"""Load in addition to the prober: users who wait for their answers, in separate processes.

`load_process.py`: the interface of a load, `Load`, and a load that is a separate process.
`locust.py`: Locust as the load of a drill.
`jmeter.py`: JMeter as the load of a drill.
`jmeter_plan.py`: the JMeter installation and its test plan.
`plans/`: the load of a drill without a plan.
"""
