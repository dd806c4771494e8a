import { describe, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { root } from "../../../support/documents.ts";
import { endOf, executable } from "../../../support/executable.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { testsWith } from "../../../support/tools.ts";
import { until } from "../../../support/until.ts";
import { answers, startStranger } from "./project.ts";

setDefaultTimeout(60_000);

const test = testsWith("python3");

const folder = useTemporaryFolder();

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

test("set_time refuses a datetime without a time zone", () =>
	expectPrinted(
		"datetime.datetime(2026, 3, 10, 12, 0) has no time zone: add tzinfo=timezone.utc 2026-03-10T17:00:00.000Z",
		`from datetime import datetime, timedelta, timezone
with start_resort(frozen=True, now=datetime(2026, 3, 10, 12, tzinfo=timezone(timedelta(hours=-5)))) as resort:
    try:
        resort.set_time(datetime(2026, 3, 10, 12))
    except ResortError as error:
        print(error, resort.state()["now"])
`,
		{ TZ: "America/New_York" },
	));

describe("connect", () => {
	test("finds the keys of the resort at RESORT_URL, after it has normalised both addresses", () =>
		expectPrinted(
			"found",
			`import json, os
with start_resort(fixtures={"agents": [{"name": "Ada"}]}) as resort:
    os.environ["RESORT_AGENT_KEYS"] = json.dumps(resort.keys)
    for known in (resort.url, resort.url + "/"):
        os.environ["RESORT_URL"] = known
        for given in (None, resort.url, resort.url + "//", resort.url.replace("http", "HTTP")):
            found = connect(given)
            assert found.keys == resort.keys, given
            assert not found.url.endswith("/")
    os.environ["RESORT_URL"] = "http://127.0.0.1:1"
    assert connect(resort.url).keys == {}
print("found")
`,
		));

	test("raises ResortError with the address if there is no resort with test controls", async () => {
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
});
