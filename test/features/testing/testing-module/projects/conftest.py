"""Starts the resort of the tests with all options that the plugin for pytest accepts."""

import pytest
from resort_testing import StartOptions

pytest_plugins = ["resort_testing"]

@pytest.fixture(scope="session")
def resort_options() -> StartOptions:
    return {"fixtures": {"agents": [{"name": "Ada"}, {"name": "Bob"}]}, "now": "2026-03-10T12:00:00Z", "frozen": True, "seed": 1, "max_stay": 1, "webhooks": True}
