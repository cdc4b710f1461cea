"""`report.html`: one file with everything in it, that needs no network and no server.

Charts are drawn by Plotly over data in the page, and each has a table with the same figures. What came from the
network is text: escaped by the template, or set as text by the scripts.
"""
