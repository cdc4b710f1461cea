"""zstd as `switchover` uses it: from the standard library since Python 3.14."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def compress_zstd(data: bytes) -> bytes:
    """One frame with a checksum, as the command `zstd` writes it."""
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
