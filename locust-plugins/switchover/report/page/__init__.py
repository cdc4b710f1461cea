"""`report.html`: one file with everything in it, that needs no network and no server.

Text and tables are in the page as it is written. Charts are drawn by Plotly over data in the page, and each has a
table that says the same. What came from the network is text: escaped by the template, or set as text by the scripts.
"""
