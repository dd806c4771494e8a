"""The tests of a dispatcher, which gives work to agents that are not resting. The resort is a real one. Run them in
the repository's root, once it is built, with:

    dist/resort test --test-controls --frozen --max-stay 1 --fixtures examples/fixtures.json -- python3 examples/dispatcher_test.py
"""

import json
import os
import time
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen

RESORT = os.environ["RESORT_URL"]
MAX_TRIES = 3
TIMEOUT_SECONDS = 0.5

# Agents of the fixtures: Ada rests since the start, Bob has left. Others have not come yet.
ADA = "00000000-0000-7000-8000-00000000000a"
BOB = "00000000-0000-7000-8000-00000000000b"
OTHERS = [f"00000000-0000-7000-8000-{at:012d}" for at in range(98)]


def available(ids):
    """The dispatcher: gives those of the agents that are available."""
    statuses = ask("/api/agents/status?ids=" + ",".join(ids))["statuses"]
    return [one["agent"]["id"] for one in statuses if one["status"] == "available"]


def ask(path):
    """Asks again when the resort is busy, in trouble or gone, and gives up when it is slow (TimeoutError)."""
    for tries_left in reversed(range(MAX_TRIES)):
        pause = 0.01
        try:
            with urlopen(RESORT + path, timeout=TIMEOUT_SECONDS) as answer:
                return json.load(answer)
        except HTTPError as error:
            error.close()
            if tries_left == 0 or (error.code < 500 and error.code != 429):
                raise
            pause = float(error.headers.get("Retry-After", pause))
        except ConnectionError:
            if tries_left == 0:
                raise
        time.sleep(pause)


def control(method, path, body=None):
    """Uses a control of the temporary resort."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(RESORT + "/test/" + path, data, headers, method=method)) as answer:
        return json.load(answer)


def fault(**how):
    control("POST", "faults", {"operation": "listAgentStatuses", **how})


def asked():
    """The statuses that the dispatcher was answered, newest first."""
    return [call["status"] for call in control("GET", "calls")["calls"]]


class DispatcherTest(unittest.TestCase):
    def setUp(self):
        control("POST", "reset")

    def test_a_guest_gets_no_work_until_its_stay_ends(self):
        self.assertEqual(available([ADA, BOB]), [BOB])
        control("POST", "clock", {"advanceSeconds": 3599})
        self.assertEqual(available([ADA, BOB]), [BOB])
        control("POST", "clock", {"advanceSeconds": 1})
        self.assertEqual(available([ADA, BOB]), [ADA, BOB])

    def test_one_call_asks_for_a_hundred_agents(self):
        self.assertEqual(available([ADA, BOB, *OTHERS]), [BOB])
        self.assertEqual(asked(), [200])

    def test_a_failure_is_tried_again(self):
        fault(status=500, times=2)
        self.assertEqual(available([BOB]), [BOB])
        self.assertEqual(asked(), [200, 500, 500])

    def test_a_failure_that_lasts_is_told(self):
        fault(status=500, times=0)
        with self.assertRaises(HTTPError):
            available([BOB])
        self.assertEqual(asked(), [500, 500, 500])

    def test_a_limit_is_waited_for_as_long_as_retry_after_says(self):
        fault(status=429, retryAfterSeconds=1)
        started = time.monotonic()
        self.assertEqual(available([BOB]), [BOB])
        self.assertGreater(time.monotonic() - started, 0.95)

    def test_a_slow_answer_is_given_up(self):
        fault(delayMs=3000, times=0)
        with self.assertRaises(TimeoutError):
            available([BOB])

    def test_a_lost_connection_is_noticed_and_tried_again(self):
        fault(drop=True)
        self.assertEqual(available([BOB]), [BOB])
        self.assertEqual(asked(), [200, None])


if __name__ == "__main__":
    unittest.main()
