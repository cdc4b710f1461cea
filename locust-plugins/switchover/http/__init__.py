"""Parse HTTP/1.1 responses from bytes, build requests, and send a request with one deadline."""
