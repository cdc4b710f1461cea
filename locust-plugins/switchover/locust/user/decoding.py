"""Content codings of a body (RFC 9110 section 8.4.1), as far as we ask for them."""

import zlib

ACCEPTED = "gzip, deflate"
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_STEP = 512
"""Bytes of a further member that are read at first, then twice as many: zlib copies what is behind a member's end, so
that many small members would cost the square of their number."""
_KNOWN = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


def decode(body: bytes, encoding: str, limit: int) -> bytes | None:
    """The body without its codings; None if it is longer than `limit`. ValueError for what is not so coded.

    A coding that we do not know, and did not ask for, leaves the body as it is.
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
        # Servers have always disagreed about what deflate is.
        window = _RAW
    parts, size, at = [], 0, 0
    # gzip: another member may follow, and so may padding, which is none.
    while body and (at == 0 or (window == _GZIP and body.startswith(_GZIP_MAGIC, at))):
        member = zlib.decompressobj(window)
        step = len(body) if at == 0 else _STEP
        while not member.eof:
            piece = body[at : at + step]
            if not piece:
                raise zlib.error("cut off")
            part = member.decompress(piece, limit + 1 - size)
            size += len(part)
            if size > limit:
                return None
            parts.append(part)
            at += len(piece) - len(member.unused_data)
            step *= 2
    return b"".join(parts)


def _is_zlib(body: bytes) -> bool:
    """RFC 1950 section 2.2: method 8, and the first two bytes are a multiple of 31."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
