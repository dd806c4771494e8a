import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { executable } from "../../../support/executable.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { isAlive } from "../../../support/processes.ts";
import { testWith } from "../../../support/tools.ts";
import { visit } from "../../../support/visit.ts";
import { answers } from "../testing-module/project.ts";

/** Prints the address of the instance and the process id of the command, like `resort serve`. */
const READY = `echo "{\\"url\\":\\"$RESORT_URL\\",\\"pid\\":$$}"`;

const STAYING = `ulimit -c 0; ${READY}; exec sleep 60`;

const env = { PATH: process.env.PATH ?? "" };

function shell(script: string): string[] {
	return ["test", "--", "sh", "-c", script];
}

const folder = useFreshFolder();

describe("resort test", () => {
	test.each([
		["exit 0", 0],
		["exit 255", 255],
		["kill -KILL $$", 128 + 9],
		["kill -TERM $$", 128 + 15],
	])("exits after the command %j with %d", async (script, code) => {
		const ended = await folder.run(shell(script), { env });
		expect(ended).toEqual({ exitCode: code, stdout: "", stderr: "" });
	});

	test("passes stdin, stdout, stderr and arguments to the command", async () => {
		const script = 'cat; echo "$1 $2"; echo told >&2';
		const child = Bun.spawn([executable, ...shell(script), "sh", "--help", "--"], {
			cwd: folder.path,
			env,
			stdin: Buffer.from("asked\n"),
			stderr: "pipe",
		});
		expect(await new Response(child.stdout).text()).toBe("asked\n--help --\n");
		expect(await new Response(child.stderr).text()).toBe("told\n");
		expect(await child.exited).toBe(0);
	});

	test("passes its environment and RESORT_URL to the command", async () => {
		const { stdout } = await folder.run(["test", "--", "env"], {
			env: {
				...env,
				MINE: "kept",
				RESORT_URL: "http://other.test",
				RESORT_AGENT_KEYS: "{}",
				RESORT_AGENT_KEYS_FILE: "/nowhere/keys.json",
			},
		});
		const names = stdout.trimEnd().split("\n");
		expect(names.map((line) => line.split("=")[0]).sort()).toEqual(["MINE", "PATH", "RESORT_URL"]);
		expect(names).toContain("MINE=kept");
		expect(stdout).toMatch(/^RESORT_URL=http:\/\/127\.0\.0\.1:\d+$/m);
	});

	test.each(["no-such-command", "./no-such-file", "/"])(
		"exits with 127 and one line if %s cannot be started",
		async (command) => {
			const stderr = await folder.refuse(
				["test", "--", command],
				/^resort: cannot start [^\n]+ \(E[A-Z]+\)\n$/,
				127,
				{ env },
			);
			expect(stderr).toContain(command);
		},
	);

	test.each([
		["SIGTERM", 15],
		["SIGINT", 2],
		["SIGHUP", 1],
		["SIGQUIT", 3],
	] as const)(
		"forwards %s to the command, then stops the instance and leaves no file",
		async (signal, number) => {
			const testing = await folder.serve(shell(STAYING), { env });
			expect(await answers(testing.url)).toBe(true);
			expect(isAlive(testing.pid)).toBe(true);
			const { exitCode, stderr } = await testing.stop(signal);
			expect({ exitCode, stderr }).toEqual({ exitCode: 128 + number, stderr: "" });
			expect(isAlive(testing.pid)).toBe(false);
			expect(await answers(testing.url)).toBe(false);
			expect(readdirSync(folder.path)).toEqual([]);
		},
	);

	test("keeps the instance running while the command handles a signal", async () => {
		const script = `trap 'curl -sf "$RESORT_URL/api/health" >&2; exit 5' TERM; ${READY}; while :; do sleep 0.05; done`;
		const testing = await folder.serve(shell(script), { env });
		const { exitCode, stderr } = await testing.stop();
		expect(exitCode).toBe(5);
		expect(JSON.parse(stderr).status).toBe("healthy");
	});

	test("waits for a command that ignores SIGTERM", async () => {
		const script = `trap 'touch ignored' TERM; ${READY}; while :; do sleep 0.05; done`;
		const testing = await folder.serve(shell(script), { env });
		const ended = testing.stop();
		while (readdirSync(folder.path).length === 0) await Bun.sleep(10);
		expect(await answers(testing.url)).toBe(true);
		expect(isAlive(testing.pid)).toBe(true);
		process.kill(testing.pid, "SIGKILL");
		const { exitCode } = await ended;
		expect(exitCode).toBe(128 + 9);
		expect(await answers(testing.url)).toBe(false);
	});

	testWith(["setsid"], "does not forward Ctrl-C of a terminal, but forwards SIGTERM", async () => {
		// In its own session, the command gets only forwarded signals.
		const script =
			"trap 'echo INT' INT; trap 'echo TERM; exit 5' TERM; echo up; while :; do sleep 0.05; done";
		let shown = "";
		const shows = async (text: string) => {
			while (!shown.includes(text)) await Bun.sleep(10);
		};
		const child = Bun.spawn([executable, "test", "--", "setsid", "-w", "sh", "-c", script], {
			cwd: folder.path,
			env,
			terminal: {
				data(_, bytes) {
					shown += new TextDecoder().decode(bytes);
				},
			},
		});
		await shows("up");
		child.terminal?.write("\x03");
		await shows("^C");
		child.kill("SIGTERM");
		expect(await child.exited).toBe(5);
		expect(shown).toContain("TERM");
		expect(shown).not.toContain("INT");
	});

	test("stops its instance if it is killed", async () => {
		const script = `${READY}; while curl -sf "$RESORT_URL/api/health" >&2; do sleep 0.05; done; echo gone`;
		const testing = await folder.serve(shell(script), { env });
		const { exitCode, stdout } = await testing.stop("SIGKILL");
		expect(exitCode).toBe(128 + 9);
		expect(stdout).toEndWith("gone\n");
		expect(await answers(testing.url)).toBe(false);
	});

	test("does not wait for background processes of the command", async () => {
		const script = `sleep 60 >/dev/null 2>&1 & echo "{\\"url\\":\\"$RESORT_URL\\",\\"pid\\":$!}"`;
		const testing = await folder.serve(shell(script), { env });
		const { exitCode } = await testing.stop("SIGCONT");
		expect(exitCode).toBe(0);
		expect(isAlive(testing.pid)).toBe(true);
		process.kill(testing.pid, "SIGKILL");
		expect(await answers(testing.url)).toBe(false);
	});

	test("ignores variables of a permanent instance, but not --rate-limits on", async () => {
		const limiting = { ...env, RESORT_RATE_LIMITS: "on", RESORT_MAX_STAY: "1" };
		const [limited, free] = await Promise.all([
			folder.serve(["test", "--rate-limits", "on", ...shell(STAYING).slice(1)], { env }),
			folder.serve(shell(STAYING), { env: limiting }),
		]);
		const briefs = async (url: string) => {
			const statuses = [];
			for (let at = 0; at < 6; at++) {
				const { status } = await fetch(`${url}/api/agents`, { method: "POST" });
				statuses.push(status);
			}
			return statuses;
		};
		expect(await briefs(limited.url)).toEqual([...Array(5).fill(200), 429]);
		expect(await briefs(free.url)).toEqual(Array(6).fill(200));
		await Promise.all([limited.stop(), free.stop()]);
	});

	test("uses --seed and RESORT_SEED like resort serve", async () => {
		const resorts = await Promise.all([
			folder.serve(["--ephemeral", "--seed", "0"]),
			folder.serve(["test", "--seed", "0", ...shell(STAYING).slice(1)], { env }),
			folder.serve(shell(STAYING), { env: { ...env, RESORT_SEED: "0" } }),
		]);
		const [served, byFlag, byVariable] = await Promise.all(resorts.map(({ url }) => visit(url)));
		expect([byFlag, byVariable]).toEqual([served, served]);
		await Promise.all(resorts.map(({ stop }) => stop()));
	});
});
