import pytest

from switchover.predict.config_file import kind_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("! a pair\nglobal_defs {\n}\n", "keepalived"),
        ("vrrp_instance VI_1 {\n", "keepalived"),
        ("include conf.d/*.conf\n", "keepalived"),
        ("@lb1 vrrp_instance VI_1 {\n", "keepalived"),
        ("$A=1\n", "keepalived"),
        ("global\n    daemon\n", "haproxy"),
        ("# x\nlisten web\n  bind :80\n", "haproxy"),
        ("defaults\n  mode http\nfrontend a\n", "haproxy"),
        ("frontend a  # vrrp_instance {\n", "haproxy"),
        ("user www-data;\nevents { }\n", "nginx"),
        ("http\n{\n}\n", "nginx"),
        ("include /etc/nginx/modules-enabled/*.conf;\n", "nginx"),
        ("server {\n  listen 80;\n}\n", "nginx"),
        ("", None),
        ("[Service]\nExecStart=/usr/sbin/haproxy\n", None),
        ("<VirtualHost *:80>\n", None),
    ],
)
def test_a_file_tells_whose_it_is(text: str, kind: str | None) -> None:
    assert kind_of(text) == kind
