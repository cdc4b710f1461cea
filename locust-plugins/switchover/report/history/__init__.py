"""Many runs as text, page and data."""
