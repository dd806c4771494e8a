import { beforeEach, describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { Caller } from "../../support/caller.ts";
import { guarded, limited, pathOf, rows } from "../../support/operations.ts";
import { useSharedResort } from "../../support/use-resort.ts";
import { FORM } from "../../support/visitor.ts";

const HOST = "192.0.2.7:8080";

/** Origins that are neither the base URL's nor that of the request's host. */
const foreign = [
	"https://elsewhere.test",
	"null",
	"",
	"http://192.0.2.7",
	"http://192.0.2.7:80801",
	"https://192.0.2.7:8080.elsewhere.test",
	"https://resort.example.elsewhere.test",
	"http://resort.example",
	// The base URL has https: who controls the network could have written this page.
	"http://192.0.2.7:8080",
	"https://resort.example:8443",
	"https://resort.example/spa",
	"ftp://192.0.2.7:8080",
	"192.0.2.7:8080",
];

const own = ["https://resort.example", "https://192.0.2.7:8080"];

const resort = useSharedResort({
	rateLimits: true,
	baseUrl: "https://resort.example/spa",
});

const changing = guarded.filter(({ method, credential }) => method !== "GET" && credential !== "key");

let caller: Caller;
let session: string;
beforeEach(async () => {
	// A quarter of an hour later the limits by address have forgotten the last test.
	resort.advance(15 * 60_000);
	caller = await Caller.create(resort);
	session = await resort.login(caller.key);
});

/** All that a call could have changed. */
async function traces() {
	const paths = ["/api/me", "/api/stays", "/api/activities/log", "/api/stats"];
	const asked = paths.map((path) => resort.ask("GET", path, { session }));
	return (await Promise.all(asked)).map(({ text }) => text);
}

const sent = (origin: string) => ({ session, headers: { origin, host: HOST } });

describe.each(rows(changing))("%s with the cookie", (_, operation) => {
	const ask = (origin?: string) =>
		resort.ask(operation.method, pathOf(operation), {
			...(origin === undefined ? { session } : sent(origin)),
			...(operation.body && { body: operation.body.good }),
		});

	test.each(foreign)("from %p is 403 and changes nothing", async (origin) => {
		const before = await traces();
		const refused = await ask(origin);
		expectFailure(refused, 403);
		// A hint is given only where one helps.
		expect(refused.body.hint?.includes("Bearer")).toBe(operation.credential === "any");
		expect(await traces()).toEqual(before);
	});

	test.each([...own, undefined])("from %p is fine", async (origin) => {
		const { status, text } = await ask(origin);
		expect([401, 403, 500], text).not.toContain(status);
	});
});

const limitedChanging = limited.filter(({ credential }) => credential === "any");

test.each(rows(limitedChanging))(
	"%s: a refused origin costs no quota and is refused before the body",
	async (_, operation) => {
		for (let call = 0; call <= operation.limit.count; call++) {
			const answered = await resort.ask(operation.method, pathOf(operation), {
				...sent("https://elsewhere.test"),
				body: operation.body?.bad,
			});
			expectFailure(answered, 403);
		}
		await caller.exhaust(operation);
	},
);

test.each(rows(guarded.filter(({ credential }) => credential !== "session")))(
	"%s with a key is fine from everywhere",
	async (_, operation) => {
		const { status, text } = await caller.call(operation, {
			headers: { origin: "https://elsewhere.test" },
			session,
		});
		expect([401, 403, 500], text).not.toContain(status);
	},
);

describe("reading with the cookie is fine from everywhere", () => {
	const read = guarded.filter(({ method, credential }) => method === "GET" && credential === "any");

	test.each(rows(read))("%s", async (_, operation) => {
		for (const method of ["GET", "HEAD"]) {
			const response = await resort.fetch(
				new Request(`http://resort.test${pathOf(operation)}`, {
					method,
					headers: {
						origin: "https://elsewhere.test",
						cookie: `__Host-resort_session=${session}`,
					},
				}),
			);
			expect([401, 403, 500], method).not.toContain(response.status);
		}
	});
});

/** What a browser or a program sends beside the request itself. */
interface Sent {
	readonly origin?: string;
	readonly "sec-fetch-site"?: string;
}

const site = (value: string): Sent => ({ "sec-fetch-site": value });

const fromElsewhere: Sent[] = [
	...foreign.map((origin) => ({ origin })),
	site("cross-site"),
	site("same-site"),
	site("something new"),
	{ origin: "null", ...site("cross-site") },
	{ origin: "null", ...site("same-site") },
	{ origin: "https://elsewhere.test", ...site("cross-site") },
	{ origin: "https://api.resort.example", ...site("same-site") },
];

const fromHere: Sent[] = [
	{},
	...own.map((origin) => ({ origin })),
	site("same-origin"),
	site("none"),
	// A form of a page without a referrer.
	{ origin: "null", ...site("same-origin") },
	{ origin: "https://resort.example", ...site("same-origin") },
];

const writtenByAnyone = limited.filter(({ credential }) => credential === "none");

describe.each(rows(writtenByAnyone))("%s", (_, operation) => {
	// A network for each test: a day of registrations is limited too.
	let network = 0;
	beforeEach(() => {
		network += 1;
	});
	const ask = (sent: Sent, body = operation.body?.good) =>
		resort.ask(operation.method, operation.path, {
			headers: { host: HOST, ...sent },
			peer: `203.0.113.${network}`,
			body,
		});

	test.each(fromElsewhere)("with %j is 403 and costs no quota", async (sent) => {
		for (let call = 0; call <= operation.limit.count; call++) {
			const refused = await ask(sent, operation.body?.bad);
			expectFailure(refused, 403);
			expect(refused.headers.has("ratelimit")).toBe(false);
			expectFailure(await ask(sent), 403);
		}
		for (let call = 0; call < operation.limit.count; call++) {
			expect([200, 201, 401]).toContain((await ask({})).status);
		}
	});

	test.each(fromHere)("with %j is fine", async (sent) => {
		expect([200, 201, 401]).toContain((await ask(sent)).status);
	});
});

describe("with a base URL of http", () => {
	const plain = useSharedResort({ baseUrl: "http://resort.example" });

	test.each<[origin: string, status: number]>([
		["http://resort.example", 201],
		["http://192.0.2.7:8080", 201],
		// A proxy that terminates TLS and is not configured.
		["https://192.0.2.7:8080", 201],
		["https://resort.example", 403],
		["https://elsewhere.test", 403],
	])("a registration from %s is %i", async (origin, status) => {
		const answered = await plain.ask("POST", "/api/agents", {
			headers: { origin, host: HOST },
			body: { name: "Ada" },
		});
		expect(answered.status).toBe(status);
	});
});

/**
 * A `Host`, the origin and the base URL of a page that is sent from there, and whether it may change
 * something.
 */
const hosts: readonly [host: string, origin: string | null, isAccepted: boolean][] = [
	["resort.example", "https://resort.example", true],
	["RESORT.example:443", "https://resort.example", true],
	["localhost:3000", "https://localhost:3000", true],
	["127.0.0.1:3000", "https://127.0.0.1:3000", true],
	["[::1]:3000", "https://[::1]:3000", true],
	["192.168.1.5:3000", "https://192.168.1.5:3000", true],
	["[2001:db8::7]", "https://[2001:db8::7]", true],
	// A proxy that replaces Host.
	["upstream:3000", "https://resort.example", true],
	["rebound.test:3000", "https://rebound.test:3000", false],
	["resort.example.rebound.test", "https://resort.example.rebound.test", false],
	["127.0.0.1.rebound.test", "https://127.0.0.1.rebound.test", false],
	["localhost.rebound.test", "https://localhost.rebound.test", false],
	["rebound.test", null, false],
];

describe.each(hosts)("a browser at the host %s, origin %p", (host, origin, isAccepted) => {
	const sent = {
		...site("same-origin"),
		...(origin !== null && { origin }),
		host,
	};
	const judge = ({ status, body, text }: Awaited<ReturnType<typeof ask>>) => {
		expect(status === 403, text).toBe(!isAccepted);
		if (!isAccepted) expect(body.hint ?? text).toContain("--base-url");
	};
	const ask = (method: string, path: string, more = {}) =>
		resort.ask(method, path, { headers: sent, ...more });

	test("is judged alike by registration, login, calls with a session or a key, /me and /mcp", async () => {
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
		const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
		judge(await ask("POST", "/mcp", { body: message }));
		const { body } = await resort.ask("GET", "/api/me", { key });
		expect(body.agent.bio).toBe(isAccepted ? host : null);
	});

	test("reads what needs no credential", async () => {
		expect((await ask("GET", "/api/lobby")).status).toBe(200);
	});
});

test("programs use any host name, also those that send other Sec-Fetch fields", async () => {
	for (const headers of [{}, { "sec-fetch-mode": "cors" }]) {
		const { status } = await resort.ask("POST", "/api/agents", {
			headers: { host: "spa.test", ...headers },
			body: { name: "Ada" },
		});
		expect(status).toBe(201);
	}
});
