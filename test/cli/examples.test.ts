import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endOf, temporaryFolder } from "../support/executable.ts";
import { testsWith } from "../support/tools.ts";

const root = join(import.meta.dir, "../..");
const cwd = join(root, "examples");

setDefaultTimeout(180_000);

/** The line that each of the runners prints on success. */
const passed = /^(?:OK|ok: 7 tests passed|# pass 8| 8 pass)$/m;

/** The path of a machine that has only Node; a folder in which Bun stands beside it stays. */
const pathWithoutBun = (process.env.PATH ?? "")
	.split(":")
	.filter((path) => {
		const has = (name: string) => existsSync(join(path, name));
		return !has("bun") || has("node");
	})
	.join(":");

const examples = [
	["dispatcher.test.mjs", "node", "node stream.mjs"],
	["dispatcher_test.py", "python3", "python3 stream.py"],
	["dispatcher-test.sh", "curl", "python3 long_poll.py"],
] as const;

/** Breaks a dispatcher: it ignores `reset`, or ends when it loses its connection. */
const brokenBy = {
	reset: (text: string) =>
		text
			.replace("agent || reset || !cursor", "agent || !cursor")
			.replace(' or frame.get("event") == "reset"', "")
			.replace(' and not told["reset"]', ""),
	reconnect: (text: string) =>
		text
			.replace("for (;;) {", "{")
			.replace("while True:", "if True:")
			.replace(/time\.sleep\(int.*/, "sys.exit()"),
};

/** The tests that a broken dispatcher fails: those of shell end with the first failure. */
const failed = {
	reset: /after.forgotten.events/,
	reconnect: /that.is.cut|until its stay ends/,
} as const;

/** Lets a command run one test only, because each that fails waits for its time to be over. */
function only(command: string, fault: keyof typeof failed): string {
	const names = { reset: "after.forgotten", reconnect: "is.cut" };
	const pattern = names[fault];
	return command
		.replace("node --test", `node --test --test-name-pattern=${pattern}`)
		.replace(/\.py$/, `.py -k ${pattern.replace(".", "_")}`);
}

/**
 * Runs tests by the line that they show.
 * @param broken a dispatcher that replaces theirs, and how it is broken
 */
async function runExample(
	file: string,
	broken?: { dispatcher: string; fault: keyof typeof failed },
) {
	const text = readFileSync(join(cwd, file), "utf8");
	const [line = ""] =
		/^(?:\/\/ +|# +)?(?:\w+=|dist\/)\S+ .*examples\/dispatcher.*$/m.exec(
			text,
		) ?? [];
	const command = line.replace(/^(?:\/\/|#)/, "").trim();
	using folder = temporaryFolder();
	const run = broken === undefined ? command : only(command, broken.fault);
	const child = Bun.spawn(["sh", "-c", run], {
		cwd: root,
		env: {
			...{ PATH: pathWithoutBun, HOME: folder.path },
			...(broken !== undefined && { DISPATCHER: broken.dispatcher }),
		},
		stdout: "pipe",
		stderr: "pipe",
	});
	return endOf(child);
}

// Concurrent, because the dispatchers wait before they repeat calls.
describe.concurrent.each(examples)("examples/%s", (file, tool, dispatcher) => {
	const test = testsWith("node", "python3", tool);

	test("runs in the repository's root by the line that it tells", async () => {
		const { exitCode, stdout, stderr } = await runExample(file);
		expect(stderr + stdout).toMatch(passed);
		expect(exitCode).toBe(0);
	});

	test("fails for a dispatcher that ignores reset, or does not reconnect", async () => {
		using folder = temporaryFolder();
		const [runtime = "", program = ""] = dispatcher.split(" ");
		const text = readFileSync(join(cwd, "dispatcher", program), "utf8");
		const runs = (["reset", "reconnect"] as const).map(async (fault) => {
			const broken = brokenBy[fault](text);
			expect(broken).not.toBe(text);
			const path = join(folder.path, `${fault}-${program}`);
			writeFileSync(path, broken);
			const dispatcher = `${runtime} ${path}`;
			const ended = await runExample(file, { dispatcher, fault });
			expect(ended.exitCode).toBe(1);
			expect(ended.stdout + ended.stderr).toMatch(failed[fault]);
		});
		await Promise.all(runs);
	});
});

test("the workflow names files that are there", () => {
	const workflow = readFileSync(join(cwd, "github-actions.yml"), "utf8");
	const paths = new Set(workflow.match(/examples\/[\w./-]+/g));
	expect(paths.size).toBe(2);
	for (const path of paths) {
		expect(existsSync(join(root, path))).toBe(true);
	}
});
