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

/** The Python of Debian, because pytest and mypy are installed as packages of Debian. */
const python = "/usr/bin/python3";

function runPython(...args: readonly string[]) {
	const env = { PATH: process.env.PATH, RESORT_EXECUTABLE: executable, TZ: "America/New_York" };
	return runProgram([python, ...args], { cwd: folder.path, env });
}

testWith(
	["pytest-3", "mypy"],
	"resort_testing.py works in two workers of pytest, passes mypy, and stops all instances",
	async () => {
		copyFileSync(join(root, "dist/resort_testing.py"), folder.file("resort_testing.py"));
		for (const name of ["conftest.py", "test_all.py"]) {
			copyFileSync(join(import.meta.dir, "projects", name), folder.file(name));
		}
		// mypy would need three times as long as for everything else if it read the types of pytest.
		const withoutPytest = "--no-site-packages --ignore-missing-imports --allow-untyped-decorators";
		const strict = `-m mypy --strict --python-version 3.9 --cache-dir=/dev/null ${withoutPytest} .`;
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

/**
 * Starts a Python program that uses resort_testing. The program is written to a file, because Python's
 * multiprocessing requires one.
 */
function start(program: string, env: Readonly<Record<string, string>> = {}) {
	const imports = "from resort_testing import ResortError, connect, start_resort\n";
	const own = { PATH: process.env.PATH ?? "", PYTHONPATH: join(root, "dist"), RESORT_EXECUTABLE: executable };
	return Bun.spawn([python, folder.write(imports + program, "program.py")], {
		env: { ...own, ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
}

async function expectPrinted(line: string, program: string, env: Readonly<Record<string, string>> = {}) {
	const ended = await endOf(start(program, env));
	expect(ended).toMatchObject({ stdout: `${line}\n`, stderr: "", exitCode: 0 });
}

describe("resort_testing.py", () => {
	test("does not stop the resort when a forked child process exits", () =>
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
		test(`stop() takes less than 2 s, even while a child process of multiprocessing (method ${method}) runs`, () =>
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

	test("stops the resort if the process that started it is killed, even while its forked child runs", async () => {
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

test("resort_testing.py works while `time`, `urlopen`, `http.client` and `Popen` are fake, and ignores proxies", () =>
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

test("connect() in Python raises an error that names the address if no resort with test controls answers there", async () => {
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
