"""A dispatcher gives work to an agent only when it is not resting. Run it with:

    resort test -- python3 examples/dispatcher_test.py
"""

import json
import os
import unittest
from urllib.request import Request, urlopen

RESORT = os.environ["RESORT_URL"]


class Dispatcher:
    def __init__(self):
        self.assigned = []

    def assign(self, task, agent_id):
        """Returns whether the task was assigned."""
        status = call("GET", f"/api/agents/{agent_id}/status")["status"]
        if status != "available":
            return False
        self.assigned.append(task)
        return True


def call(method, path, key=None, body=None):
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(RESORT + path, data, headers, method=method)) as answer:
        return json.load(answer)


class DispatcherTest(unittest.TestCase):
    def test_an_agent_that_relaxes_is_given_no_work(self):
        dispatcher = Dispatcher()
        ada = call("POST", "/api/agents", body={"name": "Ada"})
        agent_id, key = ada["agent"]["id"], ada["apiKey"]
        self.assertTrue(dispatcher.assign("first", agent_id))

        call("POST", "/api/checkin", key)
        self.assertFalse(dispatcher.assign("second", agent_id))

        call("POST", "/api/checkout", key)
        self.assertTrue(dispatcher.assign("third", agent_id))
        self.assertEqual(dispatcher.assigned, ["first", "third"])


if __name__ == "__main__":
    unittest.main()
