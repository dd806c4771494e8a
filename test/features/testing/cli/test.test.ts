import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { executable } from "../../../support/executable.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { isAlive } from "../../../support/processes.ts";
import { testWith } from "../../../support/tools.ts";
import { visit } from "../../../support/visit.ts";
import { answers } from "../testing-module/project.ts";

/** A shell command that prints a ready line as `resort serve` does, but with the process id of the shell. */
const READY = `echo "{\\"url\\":\\"$RESORT_URL\\",\\"pid\\":$$}"`;

const STAYING = `ulimit -c 0; ${READY}; exec sleep 60`;

const env = { PATH: process.env.PATH ?? "" };

function shell(script: string): string[] {
	return ["test", "--", "sh", "-c", script];
}

const folder = useFreshFolder();

describe("`resort test`", () => {
	test.each([
		[255, "exit 255"],
		[128 + 9, "kill -KILL $$"],
	] as const)("exits with %d if its command is %j", async (code, script) => {
		const ended = await folder.run(shell(script), { env });
		expect(ended).toEqual({ exitCode: code, stdout: "", stderr: "" });
	});

	test("passes its stdin, stdout, stderr and arguments to the command", async () => {
		const script = 'cat; echo "$1 $2"; echo told >&2';
		const ended = await folder.run([...shell(script), "sh", "--help", "--"], { env, stdin: "asked\n" });
		expect(ended).toEqual({ exitCode: 0, stdout: "asked\n--help --\n", stderr: "told\n" });
	});

	test("passes its environment and RESORT_URL to the command", async () => {
		const keys = { RESORT_AGENT_KEYS: "{}", RESORT_AGENT_KEYS_FILE: "/none" };
		const given = { ...env, ...keys, RESORT_URL: "http://other.test", MINE: "kept" };
		const stdout = await folder.succeed(["test", "--", "env"], { env: given });
		expect(stdout.trimEnd().split("\n").toSorted()).toEqual([
			"MINE=kept",
			`PATH=${env.PATH}`,
			expect.stringMatching(/^RESORT_URL=http:\/\/127\.0\.0\.1:\d+$/),
		]);
	});

	test.each(["no-such-command", "/"])(
		"exits with 127 and one line on stderr if the command %j cannot be started",
		async (command) => {
			const reason = RegExp(`cannot start ${RegExp.escape(command)} \\(E[A-Z]+\\)`);
			await folder.refuse(["test", "--", command], reason, 127, { env });
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

	test("waits for a command that ignores SIGTERM", async () => {
		const script = `trap 'touch ignored' TERM; ${READY}; while :; do sleep 0.05; done`;
		const testing = await folder.serve(shell(script), { env });
		const ended = testing.stop();
		while (readdirSync(folder.path).length === 0) await Bun.sleep(10);
		expect(await answers(testing.url)).toBe(true);
		expect(isAlive(testing.pid)).toBe(true);
		process.kill(testing.pid, "SIGKILL");
		expect((await ended).exitCode).toBe(128 + 9);
		expect(await answers(testing.url)).toBe(false);
	});

	testWith(["setsid"], "does not forward Ctrl-C from a terminal, but forwards SIGTERM", async () => {
		// `setsid` separates the command from the terminal, so only signals that `resort test` forwards reach it.
		const script =
			"trap 'echo INT' INT; trap 'echo TERM; exit 5' TERM; echo up; while :; do sleep 0.05; done";
		let shown = "";
		const shows = async (text: string) => {
			while (!shown.includes(text)) await Bun.sleep(10);
		};
		const data = (_: unknown, bytes: Uint8Array) => {
			shown += new TextDecoder().decode(bytes);
		};
		const command = [executable, "test", "--", "setsid", "-w", "sh", "-c", script];
		const child = Bun.spawn(command, { cwd: folder.path, env, terminal: { data } });
		await shows("up");
		child.terminal?.write("\x03");
		await shows("^C");
		child.kill("SIGTERM");
		expect(await child.exited).toBe(5);
		expect(shown).toContain("TERM");
		expect(shown).not.toContain("INT");
	});

	test("does not leave its instance running after SIGKILL", async () => {
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
		expect((await testing.stop("SIGCONT")).exitCode).toBe(0);
		expect(isAlive(testing.pid)).toBe(true);
		process.kill(testing.pid, "SIGKILL");
		expect(await answers(testing.url)).toBe(false);
	});

	test("ignores environment variables and configuration files of a permanent instance, but obeys `--rate-limits`", async () => {
		folder.write('database = "other.sqlite"\nport = "x"\nprot = 1\n', "wrong.toml");
		folder.write("other.sqlite", "path");
		const limiting = {
			...env,
			RESORT_RATE_LIMITS: "on",
			RESORT_CONFIG: "wrong.toml",
			RESORT_DATABASE_FILE: "path",
			RESORT_SEED_FILE: "nope",
			RESORT_LOG_LEVEL: "debug",
			RESORT_METRICS: "on",
		};
		const [limited, free] = await Promise.all([
			folder.serve(["test", "--rate-limits", "on", ...shell(STAYING).slice(1)], { env }),
			folder.serve(shell(STAYING), { env: limiting }),
		]);
		for (const [resort, last] of [
			[limited, 429],
			[free, 200],
		] as const) {
			for (let at = 0; at < 5; at++) await resort.send("POST", "/api/agents");
			expect((await resort.call("POST", "/api/agents")).status).toBe(last);
			expect((await resort.stop()).stderr).toBe("");
		}
		expect(folder.names()).toEqual(["path", "wrong.toml"]);
	});

	test("uses `--seed` and RESORT_SEED as `resort serve` does", async () => {
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
