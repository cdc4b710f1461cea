"""HTTP/1.1: bytes in and answers out, without sockets; and one exchange with one deadline over all of it."""
