import { describe, expect, test } from "bun:test";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readBlocks } from "../../src/client/event-stream.ts";
import { describe as describeAnswer, toJson } from "../../src/core/lib/readable-text.ts";
import { writeAll } from "../../src/core/lib/write-all.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { testsWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { useDisposable } from "../support/use-disposable.ts";
import { eventStream, FILE_NAME, fakeResort, wrappings } from "./client.ts";

const hostile = "a\u001b[2J\u0007b\u009bc\r\nd\u202ee\u2066f\u0000g\u007f";

/** What a terminal sends for Ctrl+C. */
const CTRL_C = "\u0003";

/** What a terminal sends for Ctrl+D. */
const CTRL_D = "\u0004";

/** The lines to type. Each line is typed as soon as the terminal shows a prompt that contains `question`. */
type Typed = readonly (readonly [question: string, line: string])[];

/** Runs the client on a terminal, and answers its prompts. Returns its output and its configuration file. */
async function onTerminal(words: readonly string[], env: Record<string, string>, typed: Typed = []) {
	using home = new TemporaryFolder();
	const command = words.map((word) => `'${word}'`).join(" ");
	const child = Bun.spawn(["script", "-qec", command, "/dev/null"], {
		env: { HOME: home.path, PATH: process.env.PATH, TERM: "xterm", ...env },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "pipe",
	});
	let shown = "";
	const reading = (async () => {
		for await (const part of child.stdout) shown += Buffer.from(part).toString();
	})();
	for (const [question, line] of typed) {
		await until(() => shown.includes(question) || child.exitCode !== null);
		child.stdin.write(line === CTRL_C || line === CTRL_D ? line : `${line}\r`);
		child.stdin.flush();
	}
	await child.exited;
	await reading;
	const path = join(home.path, FILE_NAME);
	const file = existsSync(path) ? readFileSync(path, "utf8") : null;
	return { exitCode: child.exitCode, shown, file };
}

const next = [{ method: "GET", path: "/api/stats", why: "x" }];

/** A server with an agent and a lobby whose texts contain control characters. */
const resort = useDisposable(() =>
	fakeResort(({ method, url }) => {
		const agent = { id: "an id", name: hostile };
		if (method === "POST") return Response.json({ ok: true, agent, apiKey: "ar_new" });
		const isOwn = new URL(url).pathname === "/api/me";
		return Response.json({ ok: true, ...(isOwn ? { agent } : { ambiance: hostile, next }) });
	}),
);

/** Returns a function that runs one form of the client on a terminal, with the address of `resort`. */
const runnerOf =
	(program: readonly string[]) =>
	(args: readonly string[], typed: Typed = [], env: Record<string, string> = {}) =>
		onTerminal([...program, ...args], { RESORT_API_URL: resort.url, ...env }, typed);

describe("texts for a terminal", () => {
	test("escape control characters in JSON", () => {
		const json = toJson({ hostile });
		expect(json).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
		expect(JSON.parse(json)).toEqual({ hostile });
	});

	test("have one line for each field of a response", () => {
		const told = {
			ok: true,
			list: [{ name: "a", roomName: hostile }],
			none: [],
			nothing: null,
			words: ["x", "y"],
			next: [],
		};
		expect(describeAnswer(told)).toBe(
			"list:\n  - name: a\n    room name: a[2Jbc defg\nnone: none\nwords: x, y\n",
		);
	});
});

/** Returns the blocks of a stream that arrives in these chunks. */
const blocksOf = (...chunks: readonly Uint8Array[]) => Array.fromAsync(readBlocks(Readable.from(chunks)));

test("readBlocks returns the same blocks for chunks of any size", async () => {
	const bytes = Buffer.from(
		": hi\nretry: 5\r\nid: 7\nevent: a\ndata: ü1\ndata:2\n\ndata: x\r\n\r\nid: 8\n\nid: 9\ndata: lost",
	);
	for (let size = 1; size < bytes.length; size++) {
		const count = Math.ceil(bytes.length / size);
		const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
		expect(await blocksOf(...chunks)).toEqual([
			{ type: "a", data: "ü1\n2", id: "7", retryMs: 5 },
			{ type: "message", data: "x", id: null, retryMs: null },
			{ type: "message", data: "", id: "8", retryMs: null },
		]);
	}
});

test("readBlocks refuses a block over 1 MiB, and ignores unknown and invalid fields", async () => {
	const largest = Buffer.from("data: x\n".repeat(131_072));
	expect(await blocksOf(largest)).toEqual([]);
	await expect(blocksOf(largest, Buffer.from("x"))).rejects.toThrow("too long");
	const fields = Buffer.from("retry: 123456\nretry: 1234567\nother: 5\n\nretry: x\nid: ü\n\n");
	const empty = { type: "message", data: "", id: null };
	expect(await blocksOf(fields)).toEqual([
		{ ...empty, retryMs: 123_456 },
		{ ...empty, retryMs: null },
	]);
});

test("writeAll waits while a non-blocking pipe is full", async () => {
	using folder = new TemporaryFolder();
	const path = folder.file("pipe");
	Bun.spawnSync(["mkfifo", path]);
	const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
	const count = 'head -c 200001 "$0" | wc -c';
	const reader = Bun.spawn(["sh", "-c", count, path]);
	writeAll(pipe, "x".repeat(200_000));
	writeAll(pipe, "y");
	expect(await new Response(reader.stdout).text()).toBe("200001\n");
	closeSync(pipe);
});

describe.each(wrappings)("%s on a terminal", (_, program) => {
	const test = testsWith("script");
	const run = runnerOf(program);

	test("does not prompt for a key if no address is configured, or if the configured key is invalid", async () => {
		const { exitCode, shown } = await onTerminal([...program, "login"], {});
		expect(exitCode).toBe(4);
		expect(shown).toContain("no resort is configured");
		expect(shown).not.toContain("Key:");
		resort.answer = () => Response.json({ error: "Unauthorized" }, { status: 401 });
		const invalid = await run([], [], { RESORT_API_KEY: "ar_k" });
		expect(invalid).toMatchObject({ exitCode: 4, file: null });
	});

	test("`register` prompts for the name", async () => {
		const { exitCode, file } = await run(["register"], [["Name", "Ada"]]);
		expect(exitCode).toBe(0);
		expect(file).toContain("ar_new");
		expect(resort.asked).toHaveLength(1);
	});

	test("prompts for the address and the name if there is no configuration", async () => {
		const { exitCode, file } = await onTerminal(program, {}, [
			["Address", resort.url],
			["Key", ""],
			["Name", "Ada"],
		]);
		expect(exitCode).toBe(0);
		const targets = resort.asked.map(({ target }) => target);
		expect(targets).toEqual(["/api/agents", "/api/me/overview"]);
		expect(file).toContain("ar_new");
		const open = await onTerminal(program, {}, [["Address", "http://resort.invalid"]]);
		expect(open.exitCode).toBe(2);
		const { shown } = await onTerminal(program, {}, [["Address", ""]]);
		expect(shown).toContain("nothing was entered");
	});

	test("exits with 1 if a prompt is cancelled with Ctrl+C or Ctrl+D, or nothing is entered", async () => {
		const lines: readonly (readonly [command: string, ...typed: Typed])[] = [
			["login", ["Key", CTRL_C]],
			["login", ["Key", CTRL_D]],
			["login", ["Key", ""]],
			["overview", ["Key", CTRL_C]],
			["overview", ["Key", CTRL_D]],
			["overview", ["Key", ""], ["Name", ""]],
			["register", ["Name", " "]],
		];
		for (const [command, ...typed] of lines) {
			const left = await run([command], typed);
			expect(left.exitCode).toBe(1);
			expect(left.shown).toContain("nothing was entered");
			expect(left.shown.includes("Name")).toBe(typed.at(-1)?.[0] === "Name");
		}
		expect(resort.asked).toBeEmpty();
	});

	test("does not show the key that is typed at a prompt", async () => {
		for (const args of [["login"], ["overview"]]) {
			const { exitCode, shown } = await run(args, [["Key", "ar_typed"]]);
			expect(exitCode).toBe(0);
			expect(shown).not.toContain("ar_typed");
			expect(shown).toContain("\r\nagent:");
			expect(resort.asked[0]?.headers.authorization).toBe("Bearer ar_typed");
		}
	});

	test("does not prompt if stdin or stdout is redirected", async () => {
		const line = async (before: string, after: string) => {
			const command = `${before} ${program.join(" ")} ${after}`;
			return onTerminal(["sh", "-c", command], { RESORT_API_URL: resort.url });
		};
		const login = await line("echo ar_piped |", "login");
		expect(login.exitCode).toBe(0);
		expect(login.shown).not.toContain("Key:");
		expect(resort.asked[0]?.headers.authorization).toBe("Bearer ar_piped");
		const register = await line("", "register >/dev/null");
		expect(register.exitCode).toBe(2);
		expect(register.shown).not.toContain("Name:");
	});
});

describe("the client on a terminal", () => {
	const test = testsWith("script");
	const [, [name, program]] = wrappings;
	const run = runnerOf(program);

	test("prints text and suggested commands, or JSON with `--json`", async () => {
		expect(await run(["lobby"])).toMatchObject({
			exitCode: 0,
			shown: `ambiance: a[2Jbc defg\r\nnext: ${name} call getStats\r\n`,
		});
		const { shown } = await run(["lobby", "--config", "none.json"]);
		expect(shown).toEndWith(`next: ${name} --config='none.json' call getStats\r\n`);
		const json = await run(["lobby", "--json"]);
		const answer = { ok: true, ambiance: hostile, next };
		expect(JSON.parse(json.shown)).toEqual(answer);
	});

	test("prints no empty line for a response that has no fields to show", async () => {
		expect(await run(["logout"])).toMatchObject({ exitCode: 0, shown: "" });
		resort.answer = ({ method }) =>
			Response.json(method === "GET" ? { ok: true, agent: { id: "a" } } : { ok: true, apiKey: "ar_new" });
		const start = program.join(" ");
		const both = ["sh", "-c", `${start} login && ${start} key rotate`];
		const { shown, file } = await onTerminal(both, { RESORT_API_URL: resort.url }, [["Key", "ar_k"]]);
		expect(file).toContain("ar_new");
		expect(shown).toMatch(/\r\nthe key is in .*\r\nthe new key is in .*\r\n$/);
	});

	test("prints a text response without control characters, and refuses to print binary data", async () => {
		let text = "# A\u001b[2J\tb 日本\r\n🏖\n";
		resort.answer = () => new Response(text);
		const args = ["call", "getSkill"];
		const shown = "# A[2J\tb 日本\r\n🏖\r\n";
		expect(await run(args)).toMatchObject({ exitCode: 0, shown });
		text = "a\u0000b";
		expect((await run(args)).exitCode).toBe(1);
	});

	test("`setup` prints settings and the path of the skill for claude-code, but only a command for codex", async () => {
		const claude = await run(["setup", "claude-code"]);
		expect(claude.shown).toContain('{\r\n  "mcpServers": {\r\n    "resort":');
		const { skillUrl } = JSON.parse((await run(["setup", "claude-code", "--json"])).shown);
		expect(skillUrl).toStartWith(`${resort.url}/`);
		expect(claude.shown).toEndWith(`/agent-resort/SKILL.md:\r\n${skillUrl}\r\n`);
		const codex = await run(["setup", "codex"]);
		expect(codex.shown).toMatch(/^Run: codex mcp add [^\r]*\r\n$/);
		const { shown } = await run(["setup", "codex", "--json"]);
		expect(JSON.parse(shown)).toMatchObject({ ok: true, files: [], skill: null, skillUrl: null });
	});

	test("`watch` prints each event as one line", async () => {
		const at = "2026-03-10T12:00:00.000Z";
		const agent = { id: "an id", name: "Ada" };
		const events = [
			{ type: "agent.relaxing", agent, stay: { roomName: "The\tpier" } },
			{ type: "agent.gone", agent: { id: "an id" } },
			{ type: "postcard.sent", agent, postcard: { message: "Low tide." } },
			{ type: "agent.did", agent, experience: { name: "Fog" }, stay: {} },
			{ type: "agent.did", agent, name: "Nap" },
			{ type: 5, agent: "x", name: 5 },
		].map((event) => `data: ${JSON.stringify({ at, ...event })}\n\n`);
		resort.answer = () =>
			resort.asked.length === 1
				? eventStream(`id: 1\nretry: 1\n${events.join("")}event: reset\ndata: {}\n\ndata: x\n\n`)
				: Response.json({ error: "Gone" }, { status: 410 });
		const { exitCode, shown } = await run(["watch"]);
		expect(exitCode).toBe(1);
		const lines = shown.split("\r\n").filter((line) => line.startsWith(at));
		// To record the snapshot again, add --update-snapshots.
		expect(lines).toMatchSnapshot();
		expect(shown).not.toContain("{");
	});
});
