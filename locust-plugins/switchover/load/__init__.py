"""The load of a drill in addition to the prober: users in a separate process, who wait for each response before they
send the next request.

`load_process.py`: the interface `Load`, and the base class of a load in a separate process.
`locust.py`: Locust as the load of a drill.
`jmeter.py`: JMeter as the load of a drill.
`jmeter_plan.py`: the JMeter installation and its test plan.
`plans/`: the default plans, for a drill without `--plan`.
"""
