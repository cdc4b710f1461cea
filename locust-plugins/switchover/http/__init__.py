"""HTTP/1.1 as bytes in and responses out, without sockets, and one exchange with one deadline."""
