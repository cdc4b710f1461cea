import errno
import ssl

import pytest

from switchover.model.failure_kind import FailureKind, kind_of_errno, kind_of_os_error


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EMFILE, errno.ENFILE, errno.ENOBUFS])
def test_the_clients_own_limits_are_never_held_against_the_balancer(number: int) -> None:
    assert kind_of_errno(number, connecting=True) is FailureKind.GENERATOR


def test_the_kernels_time_out_belongs_to_the_phase_it_ended() -> None:
    assert kind_of_errno(errno.ETIMEDOUT, connecting=True) is FailureKind.CONNECT_TIMEOUT
    assert kind_of_errno(errno.ETIMEDOUT, connecting=False) is FailureKind.READ_TIMEOUT


def test_a_tls_error_is_told_from_the_socket_errors_it_derives_from() -> None:
    assert kind_of_os_error(ssl.SSLCertVerificationError(), connecting=True) is FailureKind.TLS
    assert kind_of_os_error(ConnectionRefusedError(errno.ECONNREFUSED, ""), connecting=True) is FailureKind.REFUSED


@pytest.mark.parametrize("error", [OSError(errno.EIO, ""), OSError("without a number")])
def test_an_error_that_is_not_known_is_the_network_before_and_the_server_after_the_connection(error: OSError) -> None:
    assert kind_of_os_error(error, connecting=True) is FailureKind.UNREACHABLE
    assert kind_of_os_error(error, connecting=False) is FailureKind.RESET
