"""Runs side by side: figures, differences, and what chance can make."""
