"""The verdict on one run: its record, and the schema that is generated from the record."""
