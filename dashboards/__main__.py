"""Write the dashboards and the alert rules as JSON files for Grafana."""

from dashboards.written import FOLDER, texts

for path, text in texts().items():
    (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / path).write_text(text, encoding="utf-8")
