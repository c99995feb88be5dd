"""Runs the tests of the page, some classes at once, and writes down which passed: `run.py [NAMES]`.

`PASSED` names the file for that; with names only the tests run whose ids contain one of them.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).parent
# Each class has a server and a browser of its own: some wait while others work.
AT_ONCE = max(2, os.cpu_count() or 1)


class Result(unittest.TextTestResult):
    """Also remembers what passed."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.passed = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.append(test.id())


def flat(suite):
    """The tests of a suite, one by one."""
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flat(part)
        else:
            yield part


def discover():
    """The tests by class."""
    sys.path.insert(0, str(FOLDER))
    classes = {}
    for test in flat(unittest.defaultTestLoader.discover(str(FOLDER))):
        classes.setdefault(test.id().rsplit(".", 1)[0], []).append(test)
    return classes


def run_class(name, wanted):
    """Runs the tests of a class in this process; answers whether all passed."""
    chosen = [test for test in discover()[name] if not wanted or any(word in test.id() for word in wanted)]
    result = unittest.TextTestRunner(resultclass=Result, verbosity=0).run(unittest.TestSuite(chosen))
    for test in result.passed:
        print(f"passed {test}")
    return result.wasSuccessful() and not result.skipped and len(result.passed) == len(chosen)


def one(name, wanted):
    """Runs a class in a process of its own."""
    begin = time.monotonic()
    command = [sys.executable, __file__, "--class", name, *wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    return name, done, time.monotonic() - begin


def main(wanted):
    names = [name for name, tests in discover().items() if not wanted or any(word in test.id() for test in tests for word in wanted)]
    passed, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, done, seconds in pool.map(lambda name: one(name, wanted), names):
            own = [line.removeprefix("passed ") for line in done.stdout.splitlines() if line.startswith("passed ")]
            passed += own
            print(f"{seconds:6.1f} s  {len(own):3} passed  {name}", flush=True)
            if done.returncode != 0:
                failed += 1
                print(done.stderr, flush=True)
    print(f"{len(passed)} tests of the page passed, {failed} classes with failures")
    if "PASSED" in os.environ:
        pathlib.Path(os.environ["PASSED"]).write_text("".join(f"page {test}\n" for test in sorted(passed)), "utf-8")
    return failed == 0 and len(passed) > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--class"]:
        sys.exit(0 if run_class(sys.argv[2], sys.argv[3:]) else 1)
    sys.exit(0 if main(sys.argv[1:]) else 1)
