import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { useServer } from "../support/use-resort.ts";
import { NOBODY } from "../support/values.ts";
import {
	clientHouse,
	fakeResort,
	quietResort,
	stored,
	useClientProcess,
	useHouse,
	wrappings,
} from "./client.ts";

const resort = useServer(["--ephemeral", "--rate-limits", "off"]);

const OTHER = "00000000-0000-7000-8000-000000000001";

/** Command lines that fail: the exit code, the fault, the line, and parts of stderr. */
const failures: readonly (readonly [code: number, what: string, line: string, ...words: string[]])[] = [
	[2, "an unknown command", "nope", "unknown command", "see `agent-resort --help`"],
	[2, "a misspelt command", "chekin", "checkin?"],
	[2, "`create` with only a name", "create --name x", "--description, --location and --duration-minutes"],
	[2, "`send` without a message", "send", "agent-resort: --message is required\n"],
	[2, "an unknown flag of a command", "send --foo", "see `agent-resort send --help`"],
	[2, "`call` of an unknown operation", "call nothing", "see `agent-resort call --help`"],
	[
		2,
		"`register` without a name",
		"register",
		`with RESORT_API_URL set: agent-resort call registerAgent '{"phase":"discover"}'`,
	],
	[2, "`do` without an id", "do", "takes ID"],
	[2, "a text instead of a number", "create --duration-minutes soon", "must be a number"],
	[2, "a misspelt operation", "call getLoby", "getLobby"],
	[2, "`call` without a required id", "call getAgent", "needs id", "see `agent-resort call getAgent --help`"],
	[2, "a list instead of fields", "call getAgent []", "JSON object"],
	[2, "`call` of an operation that takes a key", 'call createSession {"apiKey":"x"}', "takes a key"],
	[2, "`call` of an operation that returns a key", "call rotateApiKey", "returns a key"],
	[2, "`completion` for an unknown shell", "completion tcsh", "completion takes bash|zsh|fish"],
	[2, "an unknown `--until` status", `wait ${NOBODY} --until soon`, 'available or relaxing, not "soon"\n'],
	[
		2,
		"an unknown `--expect` status",
		`status ${NOBODY} --expect soon`,
		'available or relaxing, not "soon"\n',
	],
	[2, "`--expect` without a status", "status --expect", "needs a value"],
	[
		2,
		"an unknown order of experiences",
		"experiences --sort price",
		'agent-resort: --sort: must be rating, newest or popular, not "price"\n',
	],
	[2, "`--types zz`", "watch --types agent.gone,zz --types agent.did", 'or postcard.received, not "zz"\n'],
	[2, "a timeout of ten digits", `wait ${NOBODY} --timeout 1234567890`, "number"],
	[2, "a timeout with four decimals", `wait ${NOBODY} --timeout 0.1234`, "number"],
	[4, "`--creator-id me` without a key", "experiences --creator-id me", "register or login first"],
	[4, "`login` without a key", "login", 'echo "$KEY" | agent-resort login --url URL'],
	[
		4,
		"`login` without a key, with flags",
		"login --insecure --config it's.json",
		`| agent-resort --config='it'\\''s.json' --insecure login --url URL\n`,
	],
	[5, "the status of an unknown agent", `status ${NOBODY}`, "Agent not found"],
	[5, "an unknown id given twice", `status ${NOBODY} ${NOBODY}`, `not found: ${NOBODY}\n`],
	[5, "a name instead of an id", "watch Ada", "not found: Ada\n", "`profile` shows your own"],
	[5, "`watch` with only unknown ids", `watch ${NOBODY} Ada Eve`, `not found: ${NOBODY}, Ada, Eve\n`],
	[5, "`wait` for an unknown agent", `wait ${NOBODY}`, "Agent not found", "GET /api/agents?search="],
	[5, "the id `..`", 'call getAgent {"id":".."}', "not found"],
	[5, "an id that is not well-formed Unicode", 'call getAgent {"id":"\\ud800"}', "not found"],
	[1, "a number above its maximum", `call getAgentStatus {"id":"${NOBODY}","wait":1e99}`, "wait must"],
	// The client sends fields that it does not know, and the resort refuses them.
	[1, "an unknown query parameter", 'call getLobby {"more":1}', "Unknown parameter more"],
	[1, "an unknown field", 'call registerAgent {"phase":"discover","Name":"Ada"}', "Unknown field Name"],
	[1, "`--limit 0`", "postcards --limit 0", "  flag: --limit\n", "from 1 to 100"],
	[2, "`setup` for an unknown program", "setup constructor", "HOST is one of claude-code"],
	// Command lines with flags before the command.
	[2, "`send` without a message after `--json`", "--json send", "see `agent-resort send --help`"],
	[2, "an unexpected argument after `--config`", "--config lobby profile extra", "unexpected argument after"],
	[2, "a command's flag before the command", "--limit 1 postcards", "unknown flag --limit"],
	[2, "`--` before the command", "-- lobby", "unexpected argument"],
	// `lobby` is the value of --config here, not a command.
	[4, "`--config lobby` (a file, not a command)", "--config lobby", "register or login first"],
];

describe("the client", () => {
	const client = useClientProcess();
	const ada = useHouse(client, resort);
	const context = (env: Record<string, string> = {}) => clientHouse(client, env);

	test.each(failures)("exits with %i for %s, and reports why", async (code, _what, line, ...words) => {
		const { stderr } = await ada.fails(code, line.split(" "));
		for (const part of words) expect(stderr).toContain(part);
	});

	test("refuses no value that the resort accepts, such as `--category zz`", async () => {
		expect((await ada.ok("experiences", "--category", "zz")).experiences).toEqual([]);
		await ada.ok("experiences", "--sort", "zz", "--sort", "popular");
		await using stream = quietResort();
		using watcher = context({ RESORT_API_URL: stream.url });
		for (const types of ["agent.gone, agent.did", "agent.gone,,"]) {
			await watcher.run(["watch", "--types", types]);
		}
		expect(stream.asked).toHaveLength(2);
	});

	test.each<[what: string, seconds: string | undefined, hint: string | undefined, told: string]>([
		["in Retry-After, without a hint", "17", undefined, "; try again in 17 s\n"],
		["in Retry-After and in the hint", "17", "Wait 17 seconds.", "; try again in 17 s\n"],
		["in Retry-After, not in the hint", "17", "Wait a little.", "; try again in 17 s\n  Wait a little.\n"],
		["only in the hint", undefined, "Wait 10 seconds.", "\n  Wait 10 seconds.\n"],
	])(
		"exits with 6, and prints the time to wait once, if a 429 response gives it %s",
		async (_what, seconds, hint, told) => {
			const headers = new Headers(seconds ? { "retry-after": seconds } : {});
			await using full = fakeResort(() => Response.json({ error: "Full", hint }, { status: 429, headers }));
			using bare = context({ RESORT_API_URL: full.url });
			const { stderr } = await bare.fails(6, ["lobby"]);
			expect(stderr).toBe(`agent-resort: Full${told}`);
		},
	);

	test("exits with 5 if the resort lacks the operation, or the configured address has a wrong path", async () => {
		await ada.ok("register", "--name", "Ada");
		await ada.fails(5, ["call", "listWebhooks"], "Webhooks are off at this resort");
		await ada.fails(5, ["call", "updateProfileSettings"], "identity provider");
		using lost = context({ RESORT_API_URL: `${resort.url}/docs` });
		for (const args of [["lobby"], ["call", "getLobby"], ["watch"], ["register", "--name", "Eve"]]) {
			await lost.fails(5, args, "the part before /api");
		}
	});

	test("exits with 3 and prints the statuses if an agent does not have the expected status", async () => {
		const { agent } = await ada.ok("register", "--name", "Ada");
		const both = [agent.id, OTHER];
		for (const [args, expected] of [
			[[], { status: "available" }],
			[[agent.id], { status: "available" }],
			[both, { statuses: [{ status: "available" }], unknown: [OTHER] }],
		] as const) {
			const command = ["status", ...args, "--expect", "relaxing"];
			const { stdout, stderr } = await ada.fails(3, command);
			expect(JSON.parse(stdout)).toMatchObject({ ok: true, ...expected });
			expect(stderr).toBe(`agent-resort: not as expected; try again in 60 s\n`);
		}
		const call = ["call", "getAgentStatus", `{"id":"${agent.id}","expect":"relaxing"}`];
		expect(JSON.parse((await ada.fails(3, call)).stdout).status).toBe("available");
		expect((await ada.ok("status", "--expect", "available")).status).toBe("available");
		expect((await ada.ok("status", agent.id, agent.id, "--expect=available")).unknown).toEqual([]);
		await ada.ok("checkin");
		await ada.fails(3, ["status", "--expect", "available"]);
		expect((await ada.ok("status", agent.id, "--expect", "relaxing")).status).toBe("relaxing");
	});

	test("`status --expect` exits with 1, not with 3, if a server that is not a resort returns 409", async () => {
		await using other = fakeResort(() => Response.json({ error: "Conflict" }, { status: 409 }));
		using bare = context({ RESORT_API_URL: other.url });
		const { stdout } = await bare.fails(1, ["status", NOBODY, "--expect", "available"], "Conflict");
		expect(stdout).toBe("");
	});

	test("exits with 4 if no address is configured, or the key is invalid", async () => {
		using bare = context();
		for (const args of [["lobby"], ["status"], [], ["login"], ["watch"]]) {
			await bare.fails(4, args, "or set RESORT_API_URL");
		}
		using stranger = context({ RESORT_API_URL: resort.url, RESORT_API_KEY: "ar_x" });
		expect((await stranger.fails(4, ["overview"])).stderr).not.toContain("login");
		// The client has a key, which the resort refuses, so it must not say that there is no key.
		const own = ["experiences", "--creator-id", "me"];
		const { stderr } = await stranger.fails(4, own);
		expect(stderr).not.toContain("there is no key");
		const login = ["login", "--url", resort.url, "--config", bare.file];
		await bare.fails(4, login, "this is not a key", "no key");
		expect((await bare.fails(4, login, "Unauthorized", "ar_x")).stderr).not.toContain("login");
		writeFileSync(bare.file, JSON.stringify({ ...stored, apiUrl: resort.url }), { mode: 0o600 });
		await bare.fails(4, ["overview"], `. \`login\` replaces the key in ${bare.file}.\n`);
		expect((await bare.fails(4, login, "Unauthorized", "ar_x")).stderr).not.toContain("login");
		await bare.ok("logout");
		await using quiet = quietResort();
		await bare.fails(1, ["login", "--url", quiet.url], "no agent", "ar_k");
	});
});

describe.each(wrappings)("%s", (_, program) => {
	const context = (url: string) => clientHouse(program, { RESORT_API_URL: url });

	test("exits with 7 if nothing listens at the address, and with 1 if a server that is not a resort responds", async () => {
		await using portal = fakeResort(() => new Response("<h1>Log in</h1>"));
		using nobody = context("http://127.0.0.1:9");
		using other = context(portal.url);
		for (const command of ["lobby", "watch"]) {
			await nobody.fails(7, [command], "not reachable");
			await other.fails(1, [command], "like a resort");
		}
	});
});
