"""The forms of a verdict: console, page, Markdown, JUnit and points.

`make_report` writes all files of `switchover report DIR`.
"""
