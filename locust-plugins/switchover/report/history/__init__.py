"""Many runs by their verdict.json files."""
