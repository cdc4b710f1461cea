"""The mechanisms, with one file for each part of the pair."""
