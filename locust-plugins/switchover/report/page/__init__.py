"""The page `report.html`: one file that needs no network and no server.

Plotly draws the charts from data in the page. Values from the network are always shown as text: the template escapes
the values, or the scripts set them as text.
"""
