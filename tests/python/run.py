"""Runs a file of tests with pytest, or prints what is missing.

    python run.py FILE

Exit codes: 0 all passed, 77 all skipped, others failure.  Run by ctest with the built package in
PYTHONPATH; PLR_PYTHON_PROBLEM is the reason if it was not built.
"""

import os
import sys

if os.environ.get("PLR_PYTHON_PROBLEM"):
    print("the Python package was not built:", os.environ["PLR_PYTHON_PROBLEM"])
    sys.exit(77)
try:
    import gymnasium  # noqa: F401
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(error)
    sys.exit(77)


class Outcomes:
    """Counts the tests that ran, and collects the reasons of skipped ones."""

    def __init__(self):
        self.num_run = 0
        self.reasons = []

    def pytest_runtest_logreport(self, report):
        self.num_run += report.when == "call" and not report.skipped
        if report.skipped:
            self.reasons.append(report.longrepr[2])

    def pytest_collectreport(self, report):
        if report.skipped:
            self.reasons.append(report.longrepr[2])


def main():
    outcomes = Outcomes()
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", sys.argv[1]], plugins=[outcomes])
    if outcomes.num_run == 0 and outcomes.reasons and code in (0, 5):
        print(*sorted(set(outcomes.reasons)), sep="\n")
        return 77
    return code


if __name__ == "__main__":  # processes that a test spawns import this file
    sys.exit(main())
