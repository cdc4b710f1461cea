"""Processes of ours and commands of others: started, heard, ended."""
