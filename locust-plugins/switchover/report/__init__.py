"""The forms in which a verdict is reported."""
