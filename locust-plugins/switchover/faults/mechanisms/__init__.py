"""The definitions of all mechanisms. Each file has the mechanisms that act on one part of the pair."""
