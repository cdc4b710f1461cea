"""Which program a configuration is for, told by the words that only its language has."""

import re

KEEPALIVED, HAPROXY, NGINX = "keepalived", "haproxy", "nginx"

_WORDS = {
    KEEPALIVED: r"(?:global_defs|vrrp_\w+|virtual_server(?:_group)?|static_ipaddress)\b[^;\n]*$",
    NGINX: r"(?:(?:events|http|stream|server|location\b[^\n;{]*|upstream[ \t]+\S+)\s*\{"
    r"|(?:user|pid|worker_\w+|error_log|load_module|daemon|include)[ \t][^\n{}]*;)",
    HAPROXY: r"(?:global|defaults|frontend|listen|backend)\b[^\n{};]*$",
}


def kind_of(text: str) -> str | None:
    """`keepalived`, `haproxy` or `nginx`; None where no word tells. A file of includes alone is Keepalived's."""
    text = re.sub(r"#.*", "", text)
    for kind, words in _WORDS.items():
        if re.search(rf"^[ \t]*(?:@\S+[ \t]+)?{words}", text, re.MULTILINE):
            return kind
    return KEEPALIVED if re.search(r"^[ \t]*(?:include\w?[ \t]|[$~@])", text, re.MULTILINE) else None
