"""The content codings of a body that the client accepts (RFC 9110 section 8.4.1)."""

import zlib

ACCEPTED = "gzip, deflate"
MEMBERS_LIMIT = 100
"""The highest number of members of a gzip body. After each member, zlib copies the remaining bytes."""
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_KNOWN = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


def decode(body: bytes, encoding: str, limit: int) -> bytes | None:
    """Return the body without its codings; None if it is longer than `limit`. Raises ValueError for a wrong coding.

    A body with an unknown coding, which the client never requests, is returned unchanged.
    """
    for coding in reversed(encoding.split(",")):
        window = _KNOWN.get(coding.strip())
        if window is None:
            return body
        try:
            unpacked = _unpack(body, window, limit)
        except zlib.error as error:
            raise ValueError(f"a body that is no {coding.strip()}") from error
        if unpacked is None:
            return None
        body = unpacked
    return body


def _unpack(body: bytes, window: int, limit: int) -> bytes | None:
    if window == _ZLIB and not _is_zlib(body):
        # Servers disagree about the format of deflate.
        window = _RAW
    unpacked = b""
    for _ in range(MEMBERS_LIMIT):
        if not body:
            return unpacked
        member = zlib.decompressobj(window)
        unpacked += member.decompress(body, limit + 1 - len(unpacked))
        if len(unpacked) > limit:
            return None
        if not member.eof:
            raise zlib.error("cut off")
        # Another gzip member may follow, or padding.
        body = member.unused_data if window == _GZIP and member.unused_data.startswith(_GZIP_MAGIC) else b""
    raise zlib.error("too many members")


def _is_zlib(body: bytes) -> bool:
    """Return True for method 8 and a multiple of 31 in the first two bytes (RFC 1950 section 2.2)."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
