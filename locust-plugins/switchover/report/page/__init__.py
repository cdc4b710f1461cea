"""`report.html`: one complete file that needs no network and no server.

Plotly draws the charts from data in the page. Each chart has a table with the same figures. Values from the network
are text: the template escapes them, or the scripts set them as text.
"""
