"""A study: a matrix of loads on labs, repeated in random order, beside the figures that others have published.

study_file.py   the TOML file: `Study`, its cells, columns, claims and published figures
form.py         full, quick or a stated fraction
state.py        the study's folder: what is done, so that an interrupted study goes on; which cell comes when
runner.py       a lab for each cell, and the load inside it
cell.py         one cell, run inside the lab's client: a run directory
load_plan.py    a load that ends by itself: Locust, JMeter or ab
ab.py           what ab printed
figures.py      the figures of one run directory
comparison.py   mean, standard deviation, confidence interval
claims.py       claims as expressions over the cells: holds, does not hold, cannot be told here
knee.py         the load from which answers no longer keep up
results.py      CSV, Parquet and Markdown
environment.py  the machine, the versions, and what others do on it
panels.py       what stands in the panels of a chart
chart.py        a chart as SVG
console.py      what is printed at the end
page.py         the HTML page: their figures and ours
publish.py      tables, charts and rows, as a repository keeps them
plans/          the Locust and JMeter plans
"""
