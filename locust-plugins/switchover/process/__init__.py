"""Child processes and foreign commands: started, read, ended."""
