"""Tests for pytest that use all functions of the module."""

import json
import os
import signal
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from resort_testing import Resort, ResortError, RunningResort, connect, start_resort

@pytest.fixture(autouse=True)
def told(resort: RunningResort) -> None:
    with open("urls", "a") as file:
        file.write(resort.url + "\n")

@pytest.mark.parametrize("round", range(2))
def test_clock_and_state(resort: RunningResort, round: int) -> None:
    assert resort.state() == {"now": "2026-03-10T12:00:00.000Z", "frozen": True, "agents": 2, "guests": 0}
    resort.advance(60)
    assert resort.state()["now"] == "2026-03-10T12:01:00.000Z"
    resort.set_time(datetime(2030, 1, 1, tzinfo=timezone.utc))
    assert resort.state()["now"] == "2030-01-01T00:00:00.000Z"
    with pytest.raises(ResortError, match="has no time zone: add tzinfo=timezone.utc"):
        resort.set_time(datetime(2026, 3, 10, 12))
    with pytest.raises(ResortError, match=r"datetime.date\(2026, 3, 10\) must be a str or a datetime"):
        resort.set_time(date(2026, 3, 10))  # type: ignore[arg-type]
    resort.thaw()
    assert not resort.state()["frozen"]
    resort.freeze()

def test_faults_and_calls(resort: RunningResort) -> None:
    fault = resort.fault("GET /api/lobby", status=502, body="<h1>Bad</h1>", retry_after_seconds=2, times=0)
    assert resort.faults() == [fault]
    with pytest.raises(HTTPError) as failed:
        urlopen(resort.url + "/api/lobby")
    assert (failed.value.code, failed.value.read()) == (502, b"<h1>Bad</h1>")
    assert failed.value.headers["Retry-After"] == "2"
    resort.clear_faults()
    assert urlopen(resort.url + "/api/lobby").status == 200
    assert [call["status"] for call in resort.calls(operation="getLobby")] == [200, 502]
    resort.clear_calls()
    assert resort.calls() == []
    resort.fault("*", drop=True)
    with pytest.raises(OSError):
        urlopen(resort.url + "/api/health")
    with pytest.raises(ResortError, match="The nearest are getLobby"):
        resort.fault("getLoby", status=500)  # type: ignore[arg-type]
    with pytest.raises(ResortError, match="advanceSeconds"):
        resort.advance(-1)

def test_events(resort: RunningResort) -> None:
    key = list(resort.keys.values())[0]
    urlopen(Request(resort.url + "/api/checkin", b"{}", {"Authorization": "Bearer " + key, "Content-Type": "application/json"}))
    events = resort.url + "/api/events?since="
    assert [event["id"] for event in json.load(urlopen(events + "0"))["events"]] == ["1"]
    resort.forget_events()
    assert json.load(urlopen(events + "1"))["reset"]
    stream = urlopen(Request(resort.url + "/api/events", headers={"Accept": "text/event-stream"}))
    assert stream.readline() == b"retry: 2000\n"
    assert resort.cut_streams() == {"streams": 1, "calls": 0}
    with pytest.raises(Exception):
        stream.read()

def test_connect_and_logs(resort: RunningResort, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RESORT_URL", resort.url)
    monkeypatch.setenv("RESORT_AGENT_KEYS", json.dumps(dict(resort.keys)))
    known: Resort = connect()
    assert known.state()["agents"] == 2
    for address in (resort.url, resort.url + "/", resort.url + "\n"):
        monkeypatch.setenv("RESORT_URL", address)
        for given in (None, resort.url + "//", resort.url.replace("http", "HTTP")):
            found = connect(given)
            assert (found.url, found.keys) == (resort.url, resort.keys)
    monkeypatch.delenv("RESORT_AGENT_KEYS")
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(dict(resort.keys)))
    monkeypatch.setenv("RESORT_AGENT_KEYS_FILE", str(file) + "\n")
    assert connect().keys == resort.keys
    assert resort.logs()[0]["level"] == "WARN"
    monkeypatch.delenv("RESORT_URL")
    with pytest.raises(ResortError, match="or RESORT_URL"):
        connect()

def test_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESORT_EXECUTABLE", os.environ["RESORT_EXECUTABLE"] + "\n")
    with pytest.raises(ResortError, match=r"resort ended \(2\): resort: --seed"):
        start_resort(seed=-1)
    with pytest.raises(ResortError, match="agents.0..name"):
        start_resort(fixtures={"agents": [{"name": "A"}]})
    for given, reason in ((datetime(2030, 1, 1), "has no time zone"), (b"A", "b'A' must be a str or a datetime")):
        with pytest.raises(ResortError, match=reason):
            start_resort(fixtures={"agents": [{"name": "Ada", "createdAt": given}]})  # type: ignore[typeddict-item]
    with pytest.raises(ResortError, match="cannot start '/nowhere/resort'"):
        start_resort(executable="/nowhere/resort")
    with pytest.raises(ResortError, match="is not the resort executable: it printed b'serve"):
        start_resort(executable="/bin/echo")
    now = datetime(2030, 1, 1, tzinfo=timezone(timedelta(hours=-5)))
    house: Any = {"agents": [{"name": "Ada", "createdAt": now}]}
    with start_resort(fixtures=house, rate_limits=True, now=now, frozen=True) as other:
        assert other.state()["now"] == "2030-01-01T05:00:00.000Z"
    with pytest.raises(ResortError, match="resort was stopped"):
        other.state()
    other.stop()
    ended = start_resort()
    os.kill(ended._process.pid, signal.SIGKILL)
    with pytest.raises(ResortError, match=r"resort ended \(-9\)"):
        ended.state()
    start_resort()
