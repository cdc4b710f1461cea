"""The page `report.html`: one file that needs no network. Values from the network are always shown as text."""
