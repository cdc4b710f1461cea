"""Keepalived's HTTP check: `check_http.py PORT` exits with 0 if the balancer's health page answers 200."""

import socket
import sys


def main(port: int) -> int:
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return 0 if connection.recv(64).split(b" ")[1:2] == [b"200"] else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
