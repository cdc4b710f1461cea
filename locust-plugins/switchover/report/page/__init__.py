"""`report.html`: one file that needs no network and no server.

Plotly draws the charts from data in the page. Values from the network are text: the template escapes them, or the
scripts set them as text.
"""
