"""The forms in which a verdict is reported: console, page, Markdown, JUnit and points for a database.

`make_report` writes all files of `switchover report DIR`.
"""
