"""apache.conf of a web server."""

from pathlib import Path

from switchover.lab.addresses import Host
from switchover.lab.certificate import CERTIFICATE
from switchover.lab.config_nginx import BODY
from switchover.lab.spec import LabSpec

HEALTH = "health.txt"
MODULES = Path("/usr/lib/apache2/modules")
"""Debian's."""
LOG_FORMAT = r"%{end:sec}t.%{end:msec_frac}t %a - - %t \"%r\" %>s %B \"-\" \"-\""
"""The lab's Nginx writes the same."""


def apache_config(spec: LabSpec, node: Host, *, directory: Path, certificate: Path) -> str:
    """One file for every path and method, each request logged at once; health checks are not logged."""
    modules = ["mpm_event", "authz_core", "alias", *(["headers"] if spec.names_backends_itself else [])]
    modules += ["ssl"] if spec.backend_port == 443 else []
    loaded = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules)
    tls = f"SSLEngine on\nSSLSessionCache none\nSSLCertificateFile {certificate / CERTIFICATE}\n"
    return f"""\
# {node.name}: Apache of a switchover lab.
ServerRoot {directory}
ServerName {node.name}
PidFile {directory}/apache.pid
{loaded}
Listen {spec.backend_port}
{tls if spec.backend_port == 443 else ""}ErrorLog /dev/stderr
LogFormat "{LOG_FORMAT}" lab
CustomLog {directory}/access.log lab "expr=%{{REQUEST_URI}} != '/health'"
ServerTokens Prod
KeepAlive {"On" if spec.keepalive else "Off"}
KeepAliveTimeout 30
MaxKeepAliveRequests 0
StartServers 2
ServerLimit 16
ThreadsPerChild 64
MaxRequestWorkers 1024
DocumentRoot {directory}
<Directory {directory}>
    Require all granted
</Directory>
{f"Header always set X-Backend {node.name}" if spec.names_backends_itself else ""}
AliasMatch "^/health$" "{directory}/{HEALTH}"
AliasMatch "^/" "{directory}/{BODY}"
"""
