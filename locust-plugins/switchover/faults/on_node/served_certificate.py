"""Check which certificate a server presents, with the standard library alone.

    python -I -S served_certificate.py ADDRESS PORT FILE

Exit status 0: the first certificate of the file. 1: another certificate. 2: no usable answer.
"""

import socket
import ssl
import sys
from pathlib import Path

TIMEOUT_S = 3.0
BEGIN, END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def first_certificate(text: str) -> bytes:
    """Return the first certificate of a file in DER. The file may have a key before the certificate."""
    _, begin, rest = text.partition(BEGIN)
    body, end, _ = rest.partition(END)
    return ssl.PEM_cert_to_DER_cert(begin + body + end + "\n")


def shown_by(address: str, port: int) -> bytes:
    """Return the certificate in DER, without verifying it, because it is only compared."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((address, port), TIMEOUT_S) as connection, context.wrap_socket(connection) as tls:
        return tls.getpeercert(binary_form=True) or b""


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    address, port, file = arguments
    try:
        is_it = shown_by(address, int(port)) == first_certificate(Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        print(f"{address}:{port}: {error}", file=sys.stderr)
        return 2
    print(f"{address}:{port} shows {'the certificate' if is_it else 'another certificate than that'} of {file}")
    return int(not is_it)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
