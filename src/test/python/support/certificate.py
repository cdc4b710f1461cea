"""A certificate for servers on loopback."""

from pathlib import Path

# Self-signed for localhost and 127.0.0.1, 2020 to 2120; it protects nothing.
KEY = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBoalDq1B8MQDsIjW
kG/FPQ4O4SH1FhFktnfBj2s0qKyhRANCAAS4EW7JZmQcDSIpJucHwIA/RDZk4cEC
AuHCGDvfyo36TER7MUcVXz3L+5a629MQs07T84wGYQZ6cdqt4j9DPQw9
-----END PRIVATE KEY-----
"""
CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLgRbslmZBwNIikm
5wfAgD9ENmThwQIC4cIYO9/KjfpMRHsxRxVfPcv7lrrb0xCzTtPzjAZhBnpx2q3i
P0M9DD2jTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBQZf/Y0L6HKFVPLKVSJuZEvZkrRVDAKBggqhkjOPQQD
AgNIADBFAiEA3FqgE4sj1mtQ7tt1u8QQaZn7MbWAeMAD4fqyeJJW99kCIBjeLo4g
FMwQzpkI8Ljk5B1mQSewS9cvr24S7FYx0Yws
-----END CERTIFICATE-----
"""


def write_certificate(directory: Path) -> Path:
    """The certificate's file; its key stands beside it as `key.pem`."""
    path = directory / "cert.pem"
    path.write_text(CERTIFICATE)
    (directory / "key.pem").write_text(KEY)
    return path
