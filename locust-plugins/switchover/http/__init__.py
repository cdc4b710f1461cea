"""The HTTP/1.1 client core: bytes in, answers out, no sockets of its own."""
