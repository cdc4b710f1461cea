"""The run directory: the folder of plain files that a run writes."""
