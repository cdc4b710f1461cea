"""What pages of metrics mean: Envoy, Traefik, Caddy."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.errors import TelemetryError
from switchover.telemetry.exporters import MetricSample, Page, parse_exposition, parse_page

ENVOY = """
# TYPE envoy_http_downstream_rq_total counter
envoy_http_downstream_rq_total{envoy_http_conn_manager_prefix="ingress_http"} 100
envoy_http_downstream_rq_xx{envoy_response_code_class="2",envoy_http_conn_manager_prefix="ingress_http"} 97
envoy_http_downstream_rq_xx{envoy_response_code_class="5",envoy_http_conn_manager_prefix="ingress_http"} 3
envoy_http_downstream_cx_active{envoy_http_conn_manager_prefix="ingress_http"} 8
envoy_cluster_upstream_rq_total{envoy_cluster_name="app"} 102
envoy_cluster_upstream_cx_connect_fail{envoy_cluster_name="app"} 4
envoy_cluster_upstream_rq_retry{envoy_cluster_name="app"} 2
envoy_cluster_membership_healthy{envoy_cluster_name="app"} 0
envoy_server_uptime{} 300
"""
TRAEFIK = """
process_start_time_seconds 1.79535567e+09
traefik_entrypoint_requests_total{code="200",entrypoint="web",method="GET",protocol="http"} 90
traefik_entrypoint_requests_total{code="502",entrypoint="web",method="GET",protocol="http"} 10
traefik_entrypoint_requests_bytes_total{code="200",entrypoint="web",method="GET",protocol="http"} 0
traefik_entrypoint_responses_bytes_total{code="200",entrypoint="web",method="GET",protocol="http"} 270
traefik_open_connections{entrypoint="web",protocol="TCP"} 5
traefik_service_requests_total{code="200",method="GET",protocol="http",service="app@file"} 90
traefik_service_retries_total{service="app@file"} 7
traefik_service_server_up{service="app@file",url="http://10.0.0.1:8080"} 1
traefik_service_server_up{service="app@file",url="http://10.0.0.2:8080"} 0
"""

Found = dict[tuple[str, str, str], tuple[str, dict[str, int]]]

CADDY = """
caddy_http_requests_total{handler="subroute",server="srv0"} 12
caddy_reverse_proxy_upstreams_healthy{upstream="10.0.0.1:8080"} 1
caddy_reverse_proxy_upstreams_healthy{upstream="10.0.0.2:8080"} 0
process_start_time_seconds 1.79535567e+09
"""


def rows(page: Page) -> Found:
    return {row.key: (row.status, dict(row.numbers)) for row in page.rows}


def test_envoy() -> None:
    page = parse_page(ENVOY.encode())
    assert (page.software, page.started_s, page.uptime_s) == ("envoy", None, 300)
    assert rows(page) == {
        ("ingress_http", "FRONTEND", "frontend"): ("", {"req_tot": 100, "hrsp_2xx": 97, "hrsp_5xx": 3, "scur": 8}),
        ("app", "BACKEND", "backend"): ("DOWN", {"req_tot": 102, "econ": 4, "wretr": 2, "act": 0}),
    }


def test_traefik_adds_up_what_it_parts_by_code() -> None:
    page = parse_page(TRAEFIK.encode())
    assert (page.software, page.started_s) == ("traefik", 1_795_355_670)
    assert rows(page) == {
        ("web", "FRONTEND", "frontend"): ("", {"req_tot": 100, "hrsp_2xx": 90, "hrsp_5xx": 10, "scur": 5}),
        ("app@file", "BACKEND", "backend"): ("", {"req_tot": 90, "hrsp_2xx": 90, "wretr": 7}),
        ("app@file", "10.0.0.1:8080", "server"): ("UP", {}),
        ("app@file", "10.0.0.2:8080", "server"): ("DOWN", {}),
    }


@pytest.mark.parametrize(
    ("url", "server"),
    [("http://10.0.0.1:8080/app", "10.0.0.1:8080"), ("10.0.0.1:8080", "10.0.0.1:8080"), ("http://[::1", "[::1")],
)
def test_a_server_of_traefik_has_the_name_of_its_address_whatever_its_url_is(url: str, server: str) -> None:
    page = parse_page(f'traefik_service_server_up{{service="app",url="{url}"}} 1\n'.encode())
    assert rows(page) == {("app", server, "server"): ("UP", {})}


def test_caddy_tells_of_its_servers_and_counts_no_requests_that_could_be_compared() -> None:
    page = parse_page(CADDY.encode())
    assert (page.software, page.started_s) == ("caddy", 1_795_355_670)
    assert rows(page) == {
        ("reverse_proxy", "10.0.0.1:8080", "server"): ("UP", {}),
        ("reverse_proxy", "10.0.0.2:8080", "server"): ("DOWN", {}),
    }


def test_a_sample_with_all_that_the_format_allows() -> None:
    (sample,) = parse_exposition(b'a:b_c { x="q\\"\\\\\\n,}" , y = "" , } 1.5e3 1395066363000\n')
    assert sample == MetricSample("a:b_c", {"x": 'q"\\\n,}', "y": ""}, 1500.0)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (b"", "incomplete or empty"),
        (b"haproxy_frontend_status 1", "incomplete or empty"),
        (b"<html>not found</html>\n", "not a metrics page"),
        (b"a{x=1} 2\n", "not a metrics page"),
        (b"a b\n", "not a metrics page"),
        (b"go_goroutines 7\n", "none of Envoy, Traefik or Caddy"),
        (b"haproxy_frontend_status 1\n", "name HAProxy's socket or statistics page in `haproxy`"),
    ],
)
def test_what_is_no_page_of_these(page: bytes, said: str) -> None:
    with pytest.raises(TelemetryError, match=said):
        parse_page(page)


@given(st.binary(max_size=200))
def test_no_page_breaks_the_reader(page: bytes) -> None:
    with contextlib.suppress(TelemetryError):
        assert all(math.isfinite(sample.value) for sample in parse_exposition(page + b"\n"))
