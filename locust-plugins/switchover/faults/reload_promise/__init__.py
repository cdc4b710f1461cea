"""What a configuration promises of a reload: kept, cut after a time, or perhaps lost, for each kind of load."""
