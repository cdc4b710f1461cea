"""The run directory: the folder of plain files that stands for one run."""
