"""The mechanisms, in one file for each part of the pair."""
