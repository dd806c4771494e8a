import { describe, expect, setDefaultTimeout } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../support/documents.ts";
import { endOf, executable, runProgram } from "../../../support/executable.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { testsWith, testWith } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { answers, startStranger } from "./project.ts";

setDefaultTimeout(120_000);

const test = testsWith("python3");

const folder = useTemporaryFolder();

const CONFTEST = `import pytest
from resort_testing import StartOptions

pytest_plugins = ["resort_testing"]

@pytest.fixture(scope="session")
def resort_options() -> StartOptions:
    return {"fixtures": {"agents": [{"name": "Ada"}, {"name": "Bob"}]}, "now": "2026-03-10T12:00:00Z", "frozen": True, "seed": 1, "max_stay": 1, "webhooks": True}
`;

/** Tests for pytest that use all functions of the module. */
const TESTS = `import json
import os
import signal
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from resort_testing import Resort, ResortError, RunningResort, connect, start_resort

@pytest.fixture(autouse=True)
def told(resort: RunningResort) -> None:
    with open("urls", "a") as file:
        file.write(resort.url + "\\n")

@pytest.mark.parametrize("round", range(2))
def test_clock_and_state(resort: RunningResort, round: int) -> None:
    assert resort.state() == {"now": "2026-03-10T12:00:00.000Z", "frozen": True, "agents": 2, "guests": 0}
    resort.advance(60)
    assert resort.state()["now"] == "2026-03-10T12:01:00.000Z"
    resort.set_time(datetime(2030, 1, 1, tzinfo=timezone.utc))
    assert resort.state()["now"] == "2030-01-01T00:00:00.000Z"
    with pytest.raises(ResortError, match="has no time zone: add tzinfo=timezone.utc"):
        resort.set_time(datetime(2026, 3, 10, 12))
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
    assert stream.readline() == b"retry: 2000\\n"
    assert resort.cut_streams() == {"streams": 1, "calls": 0}
    with pytest.raises(Exception):
        stream.read()

def test_connect_and_logs(resort: RunningResort, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RESORT_URL", resort.url)
    monkeypatch.setenv("RESORT_AGENT_KEYS", json.dumps(dict(resort.keys)))
    known: Resort = connect()
    assert known.state()["agents"] == 2
    for address in (resort.url, resort.url + "/"):
        monkeypatch.setenv("RESORT_URL", address)
        for given in (None, resort.url + "//", resort.url.replace("http", "HTTP")):
            found = connect(given)
            assert (found.url, found.keys) == (resort.url, resort.keys)
    monkeypatch.delenv("RESORT_AGENT_KEYS")
    file = tmp_path / "keys.json"
    file.write_text(json.dumps(dict(resort.keys)))
    monkeypatch.setenv("RESORT_AGENT_KEYS_FILE", str(file))
    assert connect().keys == resort.keys
    assert resort.logs()[0]["level"] == "WARN"
    monkeypatch.delenv("RESORT_URL")
    with pytest.raises(ResortError, match="or RESORT_URL"):
        connect()

def test_start(tmp_path: "os.PathLike[str]") -> None:
    with pytest.raises(ResortError, match=r"resort ended \\(2\\): resort: --seed"):
        start_resort(seed=-1)
    with pytest.raises(ResortError, match="agents.0..name"):
        start_resort(fixtures={"agents": [{"name": "A"}]})
    with pytest.raises(ResortError, match="cannot start '/nowhere/resort'"):
        start_resort(executable="/nowhere/resort")
    with pytest.raises(ResortError, match="is not the resort executable: it printed b'serve"):
        start_resort(executable="/bin/echo")
    now = datetime(2030, 1, 1, tzinfo=timezone(timedelta(hours=-5)))
    with start_resort(rate_limits=True, now=now, frozen=True) as other:
        assert other.state()["now"] == "2030-01-01T05:00:00.000Z"
    with pytest.raises(ResortError, match="resort was stopped"):
        other.state()
    other.stop()
    ended = start_resort()
    os.kill(ended._process.pid, signal.SIGKILL)
    with pytest.raises(ResortError, match=r"resort ended \\(-9\\)"):
        ended.state()
    start_resort()
`;

/** Runs the Python of Debian, because pytest and mypy are installed as packages of Debian. */
function runPython(...args: readonly string[]) {
	const env = { PATH: process.env.PATH, RESORT_EXECUTABLE: executable, TZ: "America/New_York" };
	return runProgram(["/usr/bin/python3", ...args], { cwd: folder.path, env });
}

testWith(
	["pytest-3", "mypy"],
	"resort_testing.py works in two workers of pytest, passes mypy, and stops all instances",
	async () => {
		copyFileSync(join(root, "dist/resort_testing.py"), join(folder.path, "resort_testing.py"));
		folder.write(CONFTEST, "conftest.py");
		folder.write(TESTS, "test_all.py");
		// mypy does not read the types of pytest, which would take three times as long as everything else.
		const withoutPytest = "--no-site-packages --ignore-missing-imports --allow-untyped-decorators";
		const strict = `-m mypy --strict --python-version 3.9 ${withoutPytest} .`;
		const typed = await runPython(...strict.split(" "));
		expect(typed.exitCode, typed.stdout).toBe(0);
		const tested = await runPython(..."-m pytest -q -W error -p no:cacheprovider -n 2".split(" "));
		expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
		expect(tested.stdout).toContain("6 passed");
		const urls = new Set(readFileSync(join(folder.path, "urls"), "utf8").trim().split("\n"));
		expect(urls.size).toBe(2);
		for (const url of urls) await until(async () => !(await answers(url)));
	},
);

/** Writes a program that uses resort_testing to a file, which multiprocessing requires, and starts it. */
function start(program: string, env: Readonly<Record<string, string>> = {}) {
	const imports = "from resort_testing import ResortError, connect, start_resort\n";
	const own = { PATH: process.env.PATH ?? "", PYTHONPATH: join(root, "dist"), RESORT_EXECUTABLE: executable };
	return Bun.spawn(["python3", folder.write(imports + program, "program.py")], {
		env: { ...own, ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
}

async function expectPrinted(line: string, program: string, env: Readonly<Record<string, string>> = {}) {
	const ended = await endOf(start(program, env));
	expect(ended).toMatchObject({ stdout: `${line}\n`, stderr: "", exitCode: 0 });
}

describe("a child process", () => {
	test("that was forked does not stop the resort of its parent when it exits", () =>
		expectPrinted(
			"0 []",
			`import os, sys
resort = start_resort()
child = os.fork()
if child == 0:
    with resort:
        resort.fault("getLobby", status=500)
        resort.clear_faults()
    resort.stop()
    sys.exit()
status = os.waitpid(child, 0)[1]
print(status, resort.faults())
`,
		));

	for (const method of ["fork", "spawn"]) {
		test(`that multiprocessing started (method ${method}) does not delay stop(), even if the process runs longer`, () =>
			expectPrinted(
				"True 0",
				`import multiprocessing, time
def wait(end):
    end.wait()
if __name__ == "__main__":
    resort = start_resort()
    context = multiprocessing.get_context("${method}")
    end = context.Event()
    child = context.Process(target=wait, args=(end,))
    child.start()
    started_at = time.monotonic()
    resort.stop()
    is_fast = time.monotonic() - started_at < 2
    end.set()
    child.join()
    print(is_fast, child.exitcode)
`,
			));
	}

	test("that was forked does not keep the resort of a killed parent running", async () => {
		const program = start(`import os, signal, time
resort = start_resort()
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    time.sleep(60)
print(resort.url, child, flush=True)
time.sleep(60)
`);
		const { value } = await program.stdout.getReader().read();
		const [url = "", child] = new TextDecoder().decode(value).trim().split(" ");
		try {
			expect(await answers(url)).toBe(true);
			program.kill("SIGKILL");
			await until(async () => !(await answers(url)));
		} finally {
			process.kill(Number(child), "SIGKILL");
		}
	});
});

test("the module works while time, urlopen, http.client and Popen are fake, and ignores proxies", () =>
	expectPrinted(
		"{'now': '2026-03-10T12:01:00.000Z', 'frozen': True, 'agents': 0, 'guests': 0} resort was stopped",
		`import http.client, os, subprocess, time, urllib.request
def fail(*_, **__):
    raise AssertionError("is a stub")
now = time.time()
time.sleep = urllib.request.urlopen = urllib.request.OpenerDirector.open = fail
time.time = time.monotonic = subprocess._time = lambda: now
http.client.HTTPConnection = subprocess.Popen = fail
resort = start_resort(now="2026-03-10T12:00:00Z", frozen=True)
resort.advance(60)
state = resort.state()
resort.stop()
try:
    resort.state()
except ResortError as error:
    print(state, error)
`,
		{ HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" },
	));

test("connect raises ResortError with the address if there is no resort with test controls", async () => {
	using other = startStranger();
	const at = `http://127.0.0.1:${other.port}`;
	await using plain = await folder.serve(["--ephemeral"]);
	const reasons = [
		`http://127.0.0.1:1 does not answer: [Errno 111] Connection refused`,
		`'127.0.0.1:1' must be an address such as http://127.0.0.1:3000`,
		`'http:///x' must be an address such as http://127.0.0.1:3000`,
		`http://a:b does not answer: nonnumeric port: 'b'`,
		`${at} is not a resort: it answered 200 '<h1>Hello</h1>'`,
		`${at}/json is not a resort: it answered 201 '{"ok":true}'`,
		`${plain.url} has no test controls: start the resort with --ephemeral --test-controls`,
	];
	await expectPrinted(
		reasons.join("\n"),
		`for url in ("http://127.0.0.1:1", "127.0.0.1:1", "http:///x", "http://a:b", "${at}", "${at}/json", "${plain.url}"):
    try:
        connect(url)
    except ResortError as error:
        print(error)
`,
	);
});
