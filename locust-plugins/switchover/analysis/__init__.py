"""Every figure of a run, computed from its run directory and nothing else.

    run_data.load(directory) -> RunData     what the run left behind
    verdict.judge(data)      -> Verdict     every figure, the limits, and whether to believe it

One figure, one file; `docs/measurement.md` has their definitions. Nothing here opens a socket, reads a clock or
knows who wrote the run directory.
"""
