"""Tests of a dispatcher: a program that takes the ids of agents as arguments and the address of the resort from RESORT_URL,
and prints "assign ID" whenever one of them may get work. It is the one of dispatcher/stream.py, or the command in DISPATCHER.
The resort is a real one. They need Python 3.9 and nothing else. Run them in the root of the repository, once it is built:

dist/resort test --test-controls --frozen --max-stay 1 --fixtures examples/fixtures.json -- python3 examples/dispatcher_test.py

With resort_testing.py (see docs/ci.md) a test starts its own resort.
"""

import json
import os
import subprocess
import sys
import threading
import time
import unittest
from urllib.request import Request, urlopen

RESORT = os.environ["RESORT_URL"]
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dispatcher", "stream.py")
DISPATCHER = os.environ["DISPATCHER"].split(" ") if "DISPATCHER" in os.environ else [sys.executable, PROGRAM]
TIMEOUT = 10

# Agents of the fixtures: Ada rests since the start, Bob has left. The resort knows none of the others.
ADA = "00000000-0000-7000-8000-00000000000a"
BOB = "00000000-0000-7000-8000-00000000000b"
OTHERS = [f"00000000-0000-7000-8000-{at:012}" for at in range(98)]
STATUSES = "GET /api/agents/status"


def control(method, path, body=None):
    """Uses a control of the temporary resort."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(RESORT + "/test/" + path, data, headers, method=method)) as answer:
        return json.load(answer)


def fault(**how):
    return control("POST", "faults", how)["fault"]["id"]


def calls(operation):
    return [call for call in control("GET", "calls")["calls"] if call["operation"] == operation]


def until(is_true):
    over = time.monotonic() + TIMEOUT
    while not is_true():
        if time.monotonic() > over:
            raise AssertionError("not reached")
        time.sleep(0.02)


def cut():
    """Cuts the connection over which the dispatcher waits."""
    def has_cut():
        told = control("POST", "streams", {"cut": True})
        return told["streams"] + told["calls"] > 0
    until(has_cut)


class DispatcherTest(unittest.TestCase):
    def setUp(self):
        control("POST", "reset")

    def start(self, *agents):
        """Starts the dispatcher, and returns the ids that it assigns work to."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([*DISPATCHER, *agents], text=True, **pipes)
        assigned = []

        def read():
            for line in process.stdout:
                assigned.append(line.strip().replace("assign ", ""))

        reader = threading.Thread(target=read)
        reader.start()
        for end in (process.stdout.close, reader.join, process.wait, process.kill):
            self.addCleanup(end)
        return assigned

    def test_a_guest_gets_no_work_until_its_stay_ends(self):
        assigned = self.start(ADA, BOB)
        until(lambda: assigned)
        control("POST", "clock", {"advanceSeconds": 3599})
        self.assertEqual(assigned, [BOB])
        control("POST", "clock", {"advanceSeconds": 1})
        until(lambda: len(assigned) > 1)
        self.assertEqual(assigned, [BOB, ADA])

    def test_one_call_asks_for_a_hundred_agents(self):
        assigned = self.start(ADA, BOB, *OTHERS)
        until(lambda: assigned)
        self.assertEqual(len(calls("listAgentStatuses")), 1)

    def test_a_connection_that_is_cut_is_opened_again(self):
        assigned = self.start(ADA, BOB)
        until(lambda: assigned)
        cut()
        control("POST", "clock", {"advanceSeconds": 3600})
        until(lambda: ADA in assigned)

    def test_after_forgotten_events_the_statuses_are_read_anew(self):
        assigned = self.start(ADA, BOB)
        until(lambda: assigned)
        fault(operation="listEvents", status=503, times=0)
        cut()
        control("POST", "clock", {"advanceSeconds": 3600})
        control("POST", "events", {"forget": True})
        control("DELETE", "faults")
        until(lambda: ADA in assigned)

    def test_failures_are_survived(self):
        for how in (
            {"status": 500},
            {"status": 502, "body": "<h1>Bad gateway</h1>"},
            {"status": 429, "retryAfterSeconds": 1},
            {"drop": True},
        ):
            with self.subTest(**how):
                control("POST", "reset")
                injected = fault(operation=STATUSES, **how)
                started = time.monotonic()
                assigned = self.start(BOB)
                until(lambda: assigned)
                self.assertEqual(assigned, [BOB])
                self.assertGreaterEqual(time.monotonic() - started, how.get("retryAfterSeconds", 0))
                self.assertEqual([call["fault"] for call in calls("listAgentStatuses")], [None, injected])
                self.doCleanups()


if __name__ == "__main__":
    unittest.main()
