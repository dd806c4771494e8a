/**
 * Creates a small database with rows in all tables, by calls to the executable of one version of the resort:
 * `bun test/upgrade/fill.ts EXECUTABLE`; see README.md. `upgrade.test.ts` opens the database with every later
 * version. Calls that the version does not know (404) are skipped. The random texts are always the same.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "bun";
import { signCapabilityCall } from "../../examples/sign-call.ts";
import { pickOne } from "../../src/core/lib/random.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import type { Body } from "../support/body.ts";
import { resortAt } from "../support/calls.ts";

const AGENTS = 24;
const SECRET = "a secret of a test that is long enough";
const BASE_URL = "https://resort.example";

const [given = ""] = process.argv.slice(2);
const executable = resolve(given);
const folder = mkdtempSync(join(tmpdir(), "resort-fill-"));
const file = join(folder, "resort.sqlite");
const random = seededRandom(1);
/** The keys of the agents, by agent id. Every later version must accept them. */
const keys: Record<string, string> = {};

let url = "";
await whileServing([], fillDirectly);
await fillBehindProvider();
await fillWebhooks();
administer("invite");
administer("page", "--admin-page", "on");
const sqlite = new Database(file);
requireRows(sqlite);
// Merges the write-ahead log into the database file, and deletes the log.
sqlite.run("PRAGMA journal_mode = DELETE");
const schema = sqlite.query("PRAGMA user_version").values().flat().join();
sqlite.close();
const target = join(import.meta.dir, schema);
await Bun.write(`${target}.sqlite.gz`, gzipSync(readFileSync(file)));
await Bun.write(`${target}.keys.json`, `${JSON.stringify(keys, null, "\t")}\n`);
rmSync(folder, { recursive: true });
process.stdout.write(`${target}.sqlite.gz\n`);

/** Runs a task while the executable serves the database. Skips it if the executable does not know `flags`. */
async function whileServing(flags: readonly string[], task: () => Promise<void>): Promise<void> {
	const server = Bun.spawn(
		[executable, "serve", "--database", file, "--port", "0"].concat(["--rate-limits", "off"], flags),
		{ env: {}, stdout: "pipe", stderr: "ignore" },
	);
	for await (const chunk of server.stdout) {
		url = JSON.parse(new TextDecoder().decode(chunk)).url;
		await task();
		break;
	}
	server.kill("SIGTERM");
	await server.exited;
}

async function fillDirectly(): Promise<void> {
	const ids: string[] = [];
	for (let number = 0; number < AGENTS; number++) {
		const registered = await call("POST", "/api/agents", null, {
			name: words(2),
			...(number % 3 > 0 && {
				bio: `${words(4)}\n"quoted" \\ ${"🌴".repeat(number * 10)}`,
				relaxationStyle: [words(1), words(2)],
				comfortObjects: number % 2 === 0 ? [] : ["wool", "", "Möwe"],
				interests: Array.from({ length: 10 }, () => "i".repeat(50)),
				avatarUrl: `https://example.com/${number}?q=%20`,
				roomPreference: "near the sea",
			}),
		});
		if (registered === null) throw new Error("no registration");
		const { agent, apiKey } = registered;
		ids.push(agent.id);
		keys[agent.id] = apiKey;
		if (number % 4 === 0) await call("POST", "/api/session", null, { apiKey });
	}
	const experiences: string[] = [];
	const stays = [0, 1, 2];
	for (const stay of stays) {
		for (const [number, id] of ids.entries()) {
			if (number % 5 === 4) continue;
			const key = keys[id] ?? "";
			const mood = number % 2 === 0 ? null : words(3);
			await call("POST", "/api/checkin", key, { moodOnArrival: mood });
			for (const activity of ["tidepool-float", "dock-foot-dangle"]) {
				const notes = random.below(2) === 0 ? null : words(5);
				await call("POST", `/api/activities/${activity}/do`, key, { notes });
			}
			if (number % 3 === 0) {
				const made = await call("POST", "/api/experiences", key, {
					name: words(2),
					category: pickOne(random, ["Water", "wÄter", "forest"]),
					description: `${words(6)}, and then again`,
					location: words(2),
					durationMinutes: 1 + random.below(480),
					...(stay > 0 && { maxParticipants: 1 + random.below(100) }),
				});
				if (made !== null) experiences.push(made.experience.id);
			}
			for (const experience of experiences.slice(-4)) {
				const path = `/api/experiences/${experience}`;
				await call("POST", `${path}/do`, key, { notes: words(2) });
				const vote = { rating: 1 + random.below(5), review: mood };
				await call("POST", `${path}/vote`, key, vote);
			}
			await call("POST", "/api/postcards", key, {
				message: words(9),
				recipientId: number % 2 === 0 ? null : pickOne(random, ids),
				...(number % 3 === 0 && { mood: words(1), location: words(2) }),
			});
			if (stay === stays.at(-1) && number % 2 === 0) continue;
			await call("POST", "/api/checkout", key, { moodOnDeparture: mood });
		}
	}
	const [first = "", second = "", third = ""] = ids;
	await call("PATCH", "/api/me", keys[first] ?? "", { name: words(1) });
	const rotated = await call("POST", "/api/me/api-key", keys[second] ?? "", {});
	if (rotated !== null) keys[second] = rotated.apiKey;
	await call("DELETE", "/api/me", keys[third] ?? "");
	delete keys[third];
	const creator = keys[first] ?? "";
	await call("DELETE", `/api/experiences/${experiences[0]}`, creator);
	await call("POST", "/api/me/blocked", creator, { agentId: second });
	const repeatable = { "idempotency-key": "the-key-of-a-call-that-can-be-repeated" };
	await call("POST", "/api/postcards", creator, { message: words(3) }, repeatable);
}

/** Runs `resort admin`. An earlier version may not know the command. */
function administer(...command: readonly string[]): void {
	const options = { env: {}, stdout: "ignore", stderr: "ignore" } as const;
	Bun.spawnSync([executable, "admin", ...command, "--database", file], options);
}

/** @throws Error if a table has no rows, except those that only running instances write, or only each hour */
function requireRows(sqlite: Database): void {
	const tables = sqlite
		.query("select name from sqlite_master where type = 'table' and name not in ('leases', 'house_hours')")
		.values()
		.flat();
	const empty = tables.filter((name) => sqlite.query(`select 1 from "${name}"`).get() === null);
	if (empty.length > 0) throw new Error(`fill.ts adds no rows to ${empty.join()}`);
}

/** Creates agents whose keys an identity provider checks. This provider accepts every key. */
async function fillBehindProvider(): Promise<void> {
	const provider = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const token = new URLSearchParams(await request.text()).get("token");
			return Response.json({
				active: true,
				iss: new URL(request.url).origin,
				aud: "resort",
				scope: "resort:use",
				sub: `subject of ${token}`,
				username: "Guest of another house",
			});
		},
	});
	const flags = ["--identity-url", provider.url.origin].concat(
		["--identity-secret", SECRET],
		["--base-url", BASE_URL],
	);
	await whileServing(flags, async () => {
		for (const name of ["one", "two", "three"]) {
			const apiKey = `ai_${name.repeat(8)}`;
			await call("POST", "/api/checkin", apiKey);
			await call("POST", "/api/session", null, { apiKey });
		}
		// Makes a call as an agent that has no key: the identity provider signs the call.
		const signed = signCapabilityCall({
			secret: SECRET,
			method: "POST",
			url: `${BASE_URL}/api/checkin`,
			capability: "checkIn",
			subject: "subject of a signed call",
			agentId: "agent",
			mode: "delegated",
			nowMs: Date.now(),
		});
		await call("POST", "/api/checkin", null, undefined, signed);
	});
	await provider.stop(true);
}

/** Creates a webhook whose receiver accepts deliveries, and one whose receiver fails. */
async function fillWebhooks(): Promise<void> {
	const receiver = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { type } = (await request.json()) as { type: string };
			const isTaken = type === "webhook.ping" || request.url.endsWith("/fine");
			return new Response(null, { status: isTaken ? 204 : 500 });
		},
	});
	const flags = ["--webhooks", "on", "--webhooks-allow", "127.0.0.0/8"];
	await whileServing(flags, async () => {
		const [owner = "", other = ""] = Object.values(keys);
		for (const [path, more] of [
			["/fine", { types: ["agent.relaxing", "agent.available"] }],
			["/failing", { agentIds: Object.keys(keys).slice(0, 2) }],
		] as const) {
			const url = `${receiver.url.origin}${path}`;
			await call("POST", "/api/webhooks", owner, { url, ...more });
		}
		for (const path of ["/api/checkout", "/api/checkin"]) {
			const headers = { authorization: `Bearer ${other}` };
			await fetch(url + path, { method: "POST", headers });
		}
		// Waits for the deliveries.
		await Bun.sleep(1_000);
	});
	await receiver.stop(true);
}

/** Calls the API. Returns null if the version does not know the call (404) or refuses it (401). */
async function call(
	method: string,
	path: string,
	key: string | null,
	body?: object,
	signed: Readonly<Record<string, string>> = {},
): Promise<Body | null> {
	const ask = { key: key ?? undefined, headers: { ...signed }, body };
	const { status, text, body: answer } = await resortAt(url).call(method, path, ask);
	if (status < 300) return answer;
	if ([401, 404].includes(status)) return null;
	throw new Error(`${method} ${path}: ${status} ${text}`);
}

function words(count: number): string {
	const known = `slow Möwe fog 🌊 naïve it's "so" 海`.split(" ");
	return Array.from({ length: count }, () => pickOne(random, known)).join(" ");
}
