"""Code that was changed on purpose: does a test notice? `python -m mutants`."""
