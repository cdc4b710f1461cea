"""Results that are no log of requests: sums over a test or over seconds, and files that only their tool can read."""

from switchover.analysis.logs.format import Head

NO_TIMES = "has no time for each request, so neither an outage nor a rate can be told from it"
_SEARCHED = 200
"""Lines in which a word must stand."""

_FIRST_LINES = {
    "Type,Name,Request Count,Failure Count": f"is Locust's table of statistics and {NO_TIMES}: "
    "locust.contrib.csv_request_logger writes requests",
    '"Type","Name","Request Count"': f"is Locust's table of statistics and {NO_TIMES}",
    "Timestamp,User Count,Type,Name": "is Locust's history of statistics: sums of seconds, not requests; "
    "locust.contrib.csv_request_logger writes requests",
    "Method,Name,Error,Occurrences": f"is Locust's table of failures and {NO_TIMES}",
    "Count,Message,Traceback,Nodes": f"is Locust's table of exceptions and {NO_TIMES}",
    "Label,# Samples,Average": f"is the table of JMeter's Aggregate or Summary Report and {NO_TIMES}: "
    "jmeter -l writes requests",
    "sampler_label,aggregate_report_count": f"is the table of JMeter's Aggregate Report and {NO_TIMES}",
    "This is ApacheBench": f"is what ab prints and {NO_TIMES}",
    "Percentage served,Time in ms": f"is ab's table of percentiles and {NO_TIMES}",
    "starttime\tseconds\tctime": "is ab's gnuplot file: sorted by duration and without failures, it is no log",
    "Running ": f"is what wrk or wrk2 prints and {NO_TIMES}",
    "Requests      [total, rate": f"is vegeta's report and {NO_TIMES}: 'vegeta encode --to csv' writes requests",
}
_WORDS = (
    (("Value", "Percentile", "TotalCount", "1/(1-Percentile)"), f"is an HdrHistogram's table and {NO_TIMES}"),
    (
        ("Summary:", "Requests/sec:", "Response time histogram:"),
        f"is what hey prints and {NO_TIMES}: hey -o csv does",
    ),
    (('"metrics"', '"root_group"'), f"is k6's summary and {NO_TIMES}: k6 run --out json=FILE writes requests"),
    (('"summary"', '"successRate"'), f"is oha's summary and {NO_TIMES}: oha --output-format csv writes requests"),
    (('"sampleCount"', '"errorPct"'), f"is JMeter's statistics.json and {NO_TIMES}: jmeter -l writes requests"),
    (('"aggregate"', '"intermediate"'), f"is Artillery's report and {NO_TIMES}"),
    (
        ('"latencies"', '"status_codes"'),
        f"is vegeta's report and {NO_TIMES}: 'vegeta encode --to csv' writes requests",
    ),
)


def _has_words(words: tuple[str, ...], head: Head) -> bool:
    text = "\n".join(head.lines[:_SEARCHED])
    return all(word in text for word in words)


def _is_gob_of_vegeta(head: Head) -> bool:
    text = "\n".join(head.lines[:2])
    return "\ufffd" in text and all(word in text for word in ("Result", "Attack", "Timestamp", "Latency"))


def _is_binary_gatling(head: Head) -> bool:
    """A record of kind 0, then the version as a text with its length before it."""
    return head.first.startswith("\x00\x00\x00\x00") and head.first[5:7] == "3."


def find_refusal(head: Head) -> str | None:
    """Why a known kind of result cannot be judged request by request; None where it is none of them."""
    for text, reason in _FIRST_LINES.items():
        if head.first.startswith(text):
            return reason
    for words, reason in _WORDS:
        if _has_words(words, head):
            return reason
    if _is_gob_of_vegeta(head):
        return "is what 'vegeta attack' writes for itself: 'vegeta encode --to csv' makes a log of it"
    if _is_binary_gatling(head):
        return "is Gatling's binary log (since 3.13), which only Gatling can read"
    return None
