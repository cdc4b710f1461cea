"""Writes what Grafana reads: the dashboards and the alert rules, each as JSON."""

from dashboards.written import FOLDER, texts

for path, text in texts().items():
    (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / path).write_text(text, encoding="utf-8")
