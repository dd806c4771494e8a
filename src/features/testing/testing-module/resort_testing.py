"""Ephemeral resorts for tests in Python 3.9 or later. This module needs the executable `resort` and the standard library.

`start_resort()` starts a resort in memory on a free port. `connect()` uses a resort that is already running. For pytest,
the line `pytest_plugins = ["resort_testing"]` in the root conftest.py, or `-p resort_testing`, adds the fixture `resort`.

PYTEST_DONT_REWRITE: a conftest.py may import this module before pytest loads it as a plugin.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import tempfile
import threading
from collections import deque
from contextlib import closing
from datetime import datetime, timezone
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from subprocess import PIPE, Popen
from typing import Any, Deque, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union
from urllib.parse import urlencode, urlsplit

# DECLARATIONS

class StartOptions(TypedDict, total=False):
    """The arguments of `start_resort`."""

    fixtures: Union[Fixtures, str, None]
    seed: Optional[int]
    now: Union[str, datetime, None]
    frozen: bool
    max_stay: Optional[float]
    rate_limits: bool
    webhooks: bool
    executable: Optional[str]


class ResortError(Exception):
    """Raised if a resort does not start, does not answer, or refuses a call."""


class Resort:
    """A resort with test controls. `url` has no trailing slash; `keys` are the fixtures' API keys by agent id."""

    url: str
    keys: Mapping[str, str]

    def __init__(self, url: str, keys: Mapping[str, str]) -> None:
        self.url = url
        self.keys = keys

    def reset(self) -> None:
        """Restores the initial state."""
        self._call("POST", "reset")

    def state(self) -> ResortState:
        """Returns the time of the clock, whether it is frozen, and the numbers of agents and guests."""
        answer = self._call("GET", "state")
        return {"now": answer["now"], "frozen": answer["frozen"], "agents": answer["agents"], "guests": answer["guests"]}

    def advance(self, seconds: int) -> None:
        """Advances the clock by whole seconds, at most 315,360,000."""
        self._call("POST", "clock", {"advanceSeconds": seconds})

    def set_time(self, time: Union[str, datetime]) -> None:
        """Sets the clock to a UTC time, which may be in the past."""
        self._call("POST", "clock", {"now": _timestamp(time)})

    def freeze(self) -> None:
        """Freezes the clock."""
        self._call("POST", "clock", {"frozen": True})

    def thaw(self) -> None:
        """Lets a frozen clock run on from its current time."""
        self._call("POST", "clock", {"frozen": False})

    def fault(
        self,
        operation: OperationName,
        *,
        status: Optional[int] = None,
        error: Optional[str] = None,
        body: Optional[str] = None,
        content_type: Optional[str] = None,
        retry_after_seconds: Optional[int] = None,
        delay_ms: Optional[int] = None,
        drop: bool = False,
        times: Optional[int] = None,
        ids: Optional[Sequence[str]] = None,
    ) -> Fault:
        """Makes the next `times` calls fail, wait or lose their connection; with 0, all calls until the fault is cleared."""
        fields = {
            "operation": operation,
            "status": status,
            "error": error,
            "body": body,
            "contentType": content_type,
            "retryAfterSeconds": retry_after_seconds,
            "delayMs": delay_ms,
            "drop": drop,
            "times": times,
            "ids": None if ids is None else list(ids),
        }
        fault: Fault = self._call("POST", "faults", fields)["fault"]
        return fault

    def faults(self) -> List[Fault]:
        """Lists the armed faults, the oldest first."""
        faults: List[Fault] = self._call("GET", "faults")["faults"]
        return faults

    def clear_faults(self) -> None:
        """Disarms all faults."""
        self._call("DELETE", "faults")

    def calls(self, operation: Optional[OperationName] = None, agent_id: Optional[str] = None) -> List[RecordedCall]:
        """Lists the calls since the start or the last reset, the newest first."""
        given = {"operation": operation, "agentId": agent_id}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        calls: List[RecordedCall] = self._call("GET", f"calls?{query}")["calls"]
        return calls

    def clear_calls(self) -> None:
        """Clears the recorded calls."""
        self._call("DELETE", "calls")

    def forget_events(self) -> None:
        """Deletes all events, so that readers with any earlier cursor get `reset`."""
        self._call("POST", "events", {"forget": True})

    def cut_streams(self) -> CutConnections:
        """Closes the connections of all event streams and waiting calls, as a failing network does."""
        answer = self._call("POST", "streams", {"cut": True})
        return {"streams": answer["streams"], "calls": answer["calls"]}

    def _call(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        # Does not use `urlopen`, because tests replace it, and because it uses the proxies of the environment.
        data = None if body is None else json.dumps(body, allow_nan=False)
        parts = urlsplit(self.url)
        connect_to = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        try:
            with closing(connect_to(parts.netloc)) as connection:
                connection.request(method, f"{parts.path}/test/{path}", data, {"Content-Type": "application/json"})
                response = connection.getresponse()
                text = response.read().decode(errors="replace")
        except (OSError, HTTPException) as lost:
            raise ResortError(self._why_lost(lost)) from lost
        answer = _object(text) or {}
        if response.status == 200 and answer.get("ok") is True:
            return answer
        reason = f"{self.url} is not a resort: it answered {response.status} {text[:100]!r}"
        if response.status == 404:
            reason = f"{self.url} has no test controls: start the resort with --ephemeral --test-controls"
        elif isinstance(answer.get("error"), str):
            reason = ". ".join(answer[field] for field in ("error", "hint") if field in answer)
        raise ResortError(reason)

    def _why_lost(self, lost: Exception) -> str:
        return f"{self.url} does not answer: {lost}"


class RunningResort(Resort):
    """A resort that `start_resort` has started. It ends with this process, even if this process is killed. A process
    that was forked from this one can call the resort, but does not stop it."""

    def __init__(self, executable: str, arguments: Sequence[str]) -> None:
        self._log: Deque[Dict[str, Any]] = deque(maxlen=_MAX_LINES)
        self._output: Deque[str] = deque(maxlen=_MAX_OUTPUT)
        self._is_stopped = False
        self._owner = os.getpid()
        try:
            # No buffers: a forked process that closes a buffer waits for ever if a thread of this process has locked it.
            self._process = Popen(
                [executable, *arguments], bufsize=0, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_environment()
            )
        except (OSError, ValueError) as error:
            raise ResortError(
                f"cannot start {executable!r} ({error}): put resort on the PATH, or set executable or RESORT_EXECUTABLE"
            ) from None
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        atexit.register(self.stop)
        assert self._process.stdin is not None and self._process.stdout is not None
        # Lets the resort end with this process, even if a forked process lives longer. Windows has no forks.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._process.stdin.close)
        with open(self._process.stdout.fileno(), "rb", closefd=False) as lines:
            line = lines.readline()
        try:
            ready = json.loads(line)
            super().__init__(ready["url"], ready.get("keys", {}))
        except (ValueError, LookupError, TypeError):
            self._process.kill()
            self._release()
            shown = f"{executable!r} is not the resort executable: it printed {line[:100]!r}"
            raise ResortError(shown if line else self._ended()) from None

    def logs(self) -> List[Dict[str, Any]]:
        """Returns the last lines of the log, oldest first, at most 10,000. A line arrives shortly after the response."""
        return list(self._log)

    def stop(self) -> None:
        """Stops the resort. Further calls, and calls by a forked process, have no effect."""
        if self._is_stopped or os.getpid() != self._owner:
            return
        self._is_stopped = True
        assert self._process.stdin is not None
        self._process.stdin.close()
        # Sends SIGTERM, because another process may hold the pipe open. On Windows, this would kill the resort.
        if os.name != "nt":
            self._process.terminate()
        # `Popen.wait` with a timeout would call `time.sleep`.
        self._reader.join(_STOP_SECONDS)
        if self._reader.is_alive():
            self._process.kill()
        self._release()

    def __enter__(self) -> RunningResort:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _release(self) -> None:
        self._is_stopped = True
        atexit.unregister(self.stop)
        # Waits for the end of the process, and closes its pipes.
        with self._process:
            self._reader.join()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with open(self._process.stderr.fileno(), "rb", closefd=False) as lines:
            for text in lines:
                line = _object(text)
                if line is not None:
                    self._log.append(line)
                if line is None or line.get("level") == "ERROR":
                    self._output.append(text.decode(errors="replace"))

    def _ended(self) -> str:
        output = "".join(self._output).strip()
        return f"resort ended ({self._process.returncode}){output and ': '}{output}"

    def _why_lost(self, lost: Exception) -> str:
        if self._is_stopped:
            return "resort was stopped"
        self._reader.join(1)
        if self._reader.is_alive() or os.getpid() != self._owner:
            return super()._why_lost(lost)
        self._process.wait()
        return self._ended()


def start_resort(
    *,
    fixtures: Union[Fixtures, str, None] = None,
    seed: Optional[int] = None,
    now: Union[str, datetime, None] = None,
    frozen: bool = False,
    max_stay: Optional[float] = None,
    rate_limits: bool = False,
    webhooks: bool = False,
    executable: Optional[str] = None,
) -> RunningResort:
    """Starts an ephemeral resort and returns when it is ready.

    `fixtures` contains the initial data, or the path of a file that contains the data. With `webhooks`, receivers on this
    machine may also use `http:`. The default executable is the value of RESORT_EXECUTABLE, else `resort` on the PATH.

    Raises ResortError with the output of the resort if it cannot start.
    """
    arguments = ["serve", "--ephemeral", "--test-controls", "--exit-with-parent", "--log-format=json"]
    settings = {"seed": seed, "now": now if now is None else _timestamp(now), "max-stay": max_stay}
    arguments += [f"--{name}={value}" for name, value in settings.items() if value is not None]
    arguments.append(f"--rate-limits={'on' if rate_limits else 'off'}")
    if frozen:
        arguments.append("--frozen")
    if webhooks:
        arguments += ["--webhooks=on", f"--webhooks-allow={_LOOPBACK}"]
    program = executable or _variable("RESORT_EXECUTABLE") or "resort"
    with tempfile.TemporaryDirectory(prefix="resort-fixtures-") as folder:
        if fixtures is not None:
            path = fixtures if isinstance(fixtures, str) else os.path.join(folder, "fixtures.json")
            if not isinstance(fixtures, str):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(fixtures, file, allow_nan=False, default=_timestamp)
            arguments.append(f"--fixtures={path}")
        return RunningResort(program, arguments)


def connect(url: Optional[str] = None) -> Resort:
    """Connects to a resort that was started with test controls. The default URL is the value of RESORT_URL. The
    keys of the resort at RESORT_URL are read from RESORT_AGENT_KEYS, or from the file RESORT_AGENT_KEYS_FILE.

    Raises ResortError if the resort does not answer or has no test controls.
    """
    known = _variable("RESORT_URL")
    address = url or known
    if not address:
        raise ResortError("connect requires an address or RESORT_URL")
    address = _normalize(address)
    is_known = known and address == _normalize(known)
    text, path = _variable("RESORT_AGENT_KEYS"), _variable("RESORT_AGENT_KEYS_FILE")
    if path and not text and is_known:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    resort = Resort(address, json.loads(text or "{}") if is_known else {})
    resort.state()
    return resort


# The maximum number of log lines that are kept, and of lines of output that error messages show.
_MAX_LINES = 10_000
_MAX_OUTPUT = 40

# A resort that takes longer than this to stop is killed.
_STOP_SECONDS = 5

# The addresses that webhooks may use besides public addresses: receivers on this machine.
_LOOPBACK = "127.0.0.0/8,::1"


def _environment() -> Dict[str, str]:
    """Returns the environment without variables that configure a resort. They may belong to a permanent instance."""
    return {name: value for name, value in os.environ.items() if not name.startswith("RESORT_") and name != "PORT"}


def _variable(name: str) -> str:
    """Returns an environment variable without white space around it, such as a final line break."""
    return os.environ.get(name, "").strip()


def _timestamp(time: Union[str, datetime]) -> str:
    if isinstance(time, str):
        return time
    if not isinstance(time, datetime):
        raise ResortError(f"{time!r} must be a str or a datetime")
    if time.utcoffset() is None:
        raise ResortError(f"{time!r} has no time zone: add tzinfo=timezone.utc")
    utc = time.astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03}Z"


def _normalize(address: str) -> str:
    """Returns an address with its host in lower case, without a default port and a trailing slash."""
    scheme, host, path, *_ = urlsplit(address)
    if scheme not in ("http", "https") or not host:
        raise ResortError(f"{address!r} must be an address such as http://127.0.0.1:3000")
    host = re.sub(":80$" if scheme == "http" else ":443$", "", host.lower())
    return f"{scheme}://{host}{path.rstrip('/')}"


def _object(text: Union[bytes, str]) -> Optional[Dict[str, Any]]:
    """Parses a JSON object. Returns None for any other text."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(scope="session")
    def resort_options() -> StartOptions:
        """The options of the resort. Override this fixture in conftest.py."""
        return {}

    @pytest.fixture(scope="session")
    def resort_instance(resort_options: StartOptions) -> Iterator[RunningResort]:
        """The resort that all tests of a process share. With pytest-xdist, each worker process has its own resort."""
        with start_resort(**resort_options) as running:
            yield running

    @pytest.fixture
    def resort(resort_instance: RunningResort) -> RunningResort:
        """Resets the shared resort before each test, and returns the resort."""
        resort_instance.reset()
        return resort_instance
