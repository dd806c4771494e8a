/** Tests requests from web pages: their `Origin`, `Sec-Fetch-Site` and `Host`, and what they may change. */
import { beforeEach, describe, expect, test } from "bun:test";
import { FORM } from "../features/pages/support/visitor.ts";
import { expectFailure } from "../support/answers.ts";
import { Caller, guarded, limited, pathOf, rows } from "../support/operations.ts";
import { useResort } from "../support/use-resort.ts";

const HOST = "192.0.2.7:8080";

/** Origins other than those of the base URL and of the request's host. */
const foreign = [
	"https://elsewhere.test",
	"null",
	"",
	"http://192.0.2.7",
	"http://192.0.2.7:80801",
	"https://192.0.2.7:8080.elsewhere.test",
	"https://resort.example.elsewhere.test",
	"http://resort.example",
	// The base URL is https, and a page served by http could come from anyone who controls the network.
	"http://192.0.2.7:8080",
	"https://resort.example:8443",
	"https://resort.example/spa",
	"ftp://192.0.2.7:8080",
	"192.0.2.7:8080",
];

const own = ["https://resort.example", "https://192.0.2.7:8080"] as const;

const resort = useResort({ shared: true, rateLimits: true, baseUrl: "https://resort.example/spa" });

let caller: Caller;
let session: string;
beforeEach(async () => {
	// After 15 minutes, the rate limits per address allow calls again.
	resort.advance(15 * 60_000);
	caller = await Caller.create(resort);
	session = await resort.login(caller.key);
});

/** Returns everything that a call could have changed. */
async function traces() {
	const paths = ["/api/me", "/api/stays", "/api/activities/log", "/api/stats"];
	const asked = paths.map((path) => resort.call("GET", path, { session }));
	return (await Promise.all(asked)).map(({ text }) => text);
}

const isServed = ({ status, text }: { status: number; text: string }) =>
	expect([401, 403, 500], text).not.toContain(status);

const changing = guarded.filter(({ method, credential }) => method !== "GET" && credential !== "key");

test.each(rows(changing))(
	"%s with a session cookie is accepted from the resort's origin, and refused with 403 from another origin",
	async (_, operation) => {
		const ask = (origin: string) =>
			resort.call(operation.method, pathOf(operation), {
				session,
				headers: { origin, host: HOST },
				...(operation.body && { body: operation.body.good }),
			});
		const before = await traces();
		const refused = await ask("https://elsewhere.test");
		expectFailure(refused, 403);
		expect(refused.body.hint?.includes("Bearer")).toBe(operation.credential === "any");
		expect(await traces()).toEqual(before);
		isServed(await ask(own[0]));
	},
);

test.each(rows(limited.filter(({ credential }) => credential !== "key")))(
	"%s refuses a foreign origin before it checks the body or counts the call towards the rate limit",
	async (_, operation) => {
		const headers = { origin: "https://elsewhere.test", host: HOST };
		for (let call = 0; call <= operation.limit.count; call++) {
			const ask = { session, headers, body: operation.body?.bad, peer: caller.address };
			expectFailure(await resort.call(operation.method, pathOf(operation), ask), 403);
		}
		await caller.exhaust(operation);
	},
);

test.each(rows(guarded.filter(({ credential }) => credential !== "session")))(
	"%s with a key is accepted from every origin",
	async (_, operation) => {
		const headers = { origin: "https://elsewhere.test" };
		isServed(await caller.call(operation, { headers, session }));
	},
);

test.each(rows(guarded.filter(({ method, credential }) => method === "GET" && credential === "any")))(
	"%s with a session cookie, and HEAD for the same path, are accepted from every origin",
	async (_, operation) => {
		const headers = { origin: "https://elsewhere.test" };
		for (const method of ["GET", "HEAD"]) {
			isServed(await resort.call(method, pathOf(operation), { session, headers }));
		}
	},
);

/** The header fields with which browsers describe the page that sends a request. */
interface Sent {
	readonly origin?: string;
	readonly "sec-fetch-site"?: string;
}

const site = (value: string): Sent => ({ "sec-fetch-site": value });

/** Returns rows for `test.each`: the header fields in words, and as an object. */
const titled = (all: readonly Sent[]) =>
	all.map((sent): [words: string, Sent] => {
		const words = Object.entries(sent).map(([name, value]) => `\`${name}: ${value}\``);
		return [words.join(" and ") || "neither Origin nor Sec-Fetch-Site", sent];
	});

const fromElsewhere: Sent[] = [
	...foreign.map((origin) => ({ origin })),
	site("cross-site"),
	site("same-site"),
	site("something new"),
	{ origin: "null", ...site("cross-site") },
	{ origin: "https://api.resort.example", ...site("same-site") },
];

const fromHere: Sent[] = [
	{},
	...own.map((origin) => ({ origin })),
	site("same-origin"),
	site("none"),
	// A browser sends these fields for a form on a page with the referrer policy `no-referrer`.
	{ origin: "null", ...site("same-origin") },
	{ origin: "https://resort.example", ...site("same-origin") },
];

describe.each(rows(limited.filter(({ credential }) => credential === "none")))("%s", (_, operation) => {
	const ask = (sent: Sent) => caller.call(operation, { headers: { host: HOST, ...sent } });

	test.each(titled(fromElsewhere))("is refused with 403 if a browser sends %s", async (_, sent) => {
		expectFailure(await ask(sent), 403);
	});

	test.each(titled(fromHere))("is accepted if a browser sends %s", async (_, sent) => {
		expect([201, 401]).toContain((await ask(sent)).status);
	});
});

describe("a resort with the base URL http://resort.example", () => {
	const plain = useResort({ shared: true, baseUrl: "http://resort.example" });

	test.each<[status: number, origin: string]>([
		[201, "http://resort.example"],
		[201, "http://192.0.2.7:8080"],
		// Accepted despite https, because a proxy that the resort does not know may terminate TLS.
		[201, "https://192.0.2.7:8080"],
		[403, "https://resort.example"],
		[403, "https://elsewhere.test"],
	])("returns %i for a registration from the origin %s", async (status, origin) => {
		const headers = { origin, host: HOST };
		const answered = await plain.call("POST", "/api/agents", { headers, body: { name: "Ada" } });
		expect(answered.status).toBe(status);
	});
});

describe.each<[host: string, origin: string, isAccepted: boolean]>([
	["resort.example", "not sent", true],
	["RESORT.example:443", "https://resort.example", true],
	["localhost:3000", "https://localhost:3000", true],
	["127.0.0.1:3000", "https://127.0.0.1:3000", true],
	["[::1]:3000", "https://[::1]:3000", true],
	["192.168.1.5:3000", "https://192.168.1.5:3000", true],
	["[2001:db8::7]", "https://[2001:db8::7]", true],
	// The resort is behind a proxy that replaces Host.
	["upstream:3000", "https://resort.example", true],
	["rebound.test:3000", "https://rebound.test:3000", false],
	["resort.example.rebound.test", "https://resort.example.rebound.test", false],
	["127.0.0.1.rebound.test", "https://127.0.0.1.rebound.test", false],
	["localhost.rebound.test", "https://localhost.rebound.test", false],
	["rebound.test", "not sent", false],
])("a browser with `Sec-Fetch-Site: same-origin` (Host: %s; Origin: %s)", (host, origin, isAccepted) => {
	const sent = { ...site("same-origin"), ...(origin !== "not sent" && { origin }), host };
	const ask = (method: string, path: string, more = {}) =>
		resort.call(method, path, { headers: sent, ...more });
	const judge = ({ status, body, text }: Awaited<ReturnType<typeof ask>>) => {
		expect(status === 403, text).toBe(!isAccepted);
		if (!isAccepted) expect(body.hint ?? text).toContain("--base-url");
	};

	const may = isAccepted ? "may" : "may not";
	test(`${may} register, log in, or make changes`, async () => {
		const bio = { body: { bio: host } };
		const { key } = caller;
		judge(await ask("POST", "/api/agents", { body: { name: "Eve" } }));
		judge(await ask("POST", "/api/session", { body: { apiKey: key } }));
		judge(await ask("PATCH", "/api/me", { ...bio, session }));
		judge(await ask("PATCH", "/api/me", { ...bio, key }));
		for (const action of ["sign-in", "check-out"]) {
			const headers = { ...sent, "content-type": FORM };
			const raw = new URLSearchParams({ apiKey: key }).toString();
			judge(await ask("POST", `/me/${action}`, { headers, raw, session }));
		}
		judge(await ask("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }));
		const { body } = await resort.call("GET", "/api/me", { key });
		expect(body.agent.bio).toBe(isAccepted ? host : null);
		expect((await ask("GET", "/api/lobby")).status).toBe(200);
	});
});

test("a program that sends no Sec-Fetch-Site may call the resort by any host name", async () => {
	const headers = { host: "spa.test", "sec-fetch-mode": "cors" };
	const { status } = await resort.call("POST", "/api/agents", { headers, body: { name: "Ada" } });
	expect(status).toBe(201);
});
