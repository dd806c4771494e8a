import { afterEach, describe, expect, mock, spyOn, test } from "bun:test";
import type { Answered, CallOptions } from "../../support/calls.ts";
import { until } from "../../support/until.ts";
import { useResort } from "../../support/use-resort.ts";
import { initialize, type Message, modernMessage, sendMessage } from "./support/tools.ts";

const resort = useResort({ shared: true });

const post = (ask: CallOptions) => resort.call("POST", "/mcp", ask);
const read = ({ text }: Answered): Message => JSON.parse(text);

/** Sends a message in the form of revision 2026-07-28 and in the form of an earlier revision. */
const sendBoth = async (method: string, params: object, accept: string) => {
	const modern = modernMessage(method, params);
	return [
		await post({ ...modern, headers: { ...modern.headers, accept } }),
		await sendMessage(resort, method, params, { headers: { accept } }),
	];
};

describe("POST /mcp", () => {
	test.each(["2025-11-25", "2025-06-18", "2025-03-26"])(
		"accepts the method `initialize` with the revision %s",
		async (revision) => {
			const { message, headers } = await initialize(resort, {}, revision);
			expect(message.result.protocolVersion).toBe(revision);
			expect(message.result.instructions).toContain("check_out");
			expect(headers.has("mcp-session-id")).toBe(false);
			const body = { jsonrpc: "2.0", method: "notifications/initialized" };
			const notified = await post({ body, headers: { "mcp-protocol-version": revision } });
			expect(notified).toMatchObject({ status: 202, text: "" });
			expect(notified.headers.has("content-type")).toBe(false);
		},
	);

	test.each(["2099-01-01", ""])(
		"refuses the revision %p in the field MCP-Protocol-Version",
		async (requested) => {
			for (const method of ["tools/list", "ping", "initialize"]) {
				const body = { jsonrpc: "2.0", id: 7, method };
				const answered = await post({ body, headers: { "mcp-protocol-version": requested } });
				expect(answered.status).toBe(400);
				const message = expect.stringMatching(
					/^Unsupported protocol version: .*2026-07-28, 2025-11-25, 2025-06-18/,
				);
				const supported = expect.arrayContaining(["2025-06-18"]);
				expect(read(answered)).toMatchObject({ id: 7, error: { message, data: { requested, supported } } });
			}
		},
	);
});

test.each([
	["application/json", "application/json"],
	["application/json, text/event-stream", "application/json"],
	["*/*", "application/json"],
	["text/event-stream", "text/event-stream"],
	["text/event-stream, application/json;q=0", "text/event-stream"],
])("a tool call with the Accept field %j has a response of the type %s", async (accept, type) => {
	for (const answered of await sendBoth("tools/call", { name: "lobby", arguments: {} }, accept)) {
		expect(answered.status).toBe(200);
		expect(answered.headers.get("content-type")).toBe(type);
		if (type === "text/event-stream") {
			const [, data = ""] = /^event: message\ndata: (.*)\n\n$/.exec(answered.text) ?? [];
			expect(JSON.parse(data).result.structuredContent.ok).toBe(true);
		}
	}
});

describe("the response to an MCP call", () => {
	const setReal = globalThis.setInterval;
	afterEach(() => {
		mock.restore();
	});

	/**
	 * Makes a call that waits until an agent checks out. During the wait, two intervals of 10 seconds are
	 * simulated. After each, the server may send a notification.
	 */
	async function follow(isModern: boolean, accept: string): Promise<Response> {
		const { id, key } = await resort.guest();
		const params = {
			name: "agent_status",
			arguments: { ids: id, until: "available", wait: 45 },
			_meta: { progressToken: "mine" },
		};
		const modern = modernMessage("tools/call", params);
		const legacy = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
		const ticks: (() => void)[] = [];
		spyOn(globalThis, "setInterval").mockImplementation(((tick: () => void, ms: number) => {
			if (ms === 10_000) ticks.push(tick);
			return setReal(tick, ms);
		}) as typeof setInterval);
		const answering = resort.fetch(
			new Request("http://resort.test/mcp", {
				method: "POST",
				body: JSON.stringify(isModern ? modern.body : legacy),
				headers: { ...(isModern && modern.headers), "content-type": "application/json", accept },
			}),
		);
		await until(() => resort.concurrency.open.call === 1);
		for (const tick of [...ticks, ...ticks]) tick();
		await resort.call("POST", "/api/checkout", { key });
		return answering;
	}

	test.each([
		["revision 2026-07-28", true],
		["an earlier revision", false],
	] as const)(
		"contains a notification every 10 seconds if the call waits and has a progress token (in %s)",
		async (_, isModern) => {
			const { headers, body } = await follow(isModern, "application/json, text/event-stream");
			expect(headers.get("content-type")).toBe("text/event-stream");
			const text = await new Response(body).text();
			const messages = text
				.split("\n")
				.filter((line) => line.startsWith("data: {"))
				.map((line) => JSON.parse(line.slice("data: ".length)));
			const statuses = [{ status: "available" }];
			expect(messages).toMatchObject([
				{ params: { progressToken: "mine" } },
				{ params: { progressToken: "mine" } },
				{ id: 1, result: { structuredContent: { statuses } } },
			]);
		},
	);

	const _meta = { progressToken: 1 };
	test.each([
		["a tool call with an argument `wait` has no progress token", "tools/call", { arguments: { wait: 1 } }],
		["a tool call with a progress token has no arguments", "tools/call", { _meta }],
		["a tool call with a progress token does not wait", "tools/call", { _meta, arguments: { limit: 1 } }],
		["the call is `prompts/get`, which never waits", "prompts/get", { _meta, arguments: { wait: "1" } }],
	])("is JSON if %s", async (_, method, params) => {
		const accept = "application/json, text/event-stream";
		for (const answered of await sendBoth(method, { name: "lobby", ...params }, accept)) {
			expect(answered.headers.get("content-type")).toBe("application/json");
		}
	});

	test("is JSON if a waiting call with a progress token accepts only JSON", async () => {
		const response = await follow(true, "application/json");
		expect(response.headers.get("content-type")).toBe("application/json");
		const { result } = (await response.json()) as Message;
		expect(result.structuredContent).toMatchObject({ ok: true });
	});
});

test.each(["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])("%s /mcp returns 405", async (method) => {
	const { status, headers } = await resort.call(method, "/mcp");
	expect(status).toBe(405);
	expect(headers.get("allow")).toBe("POST");
});

const message = { jsonrpc: "2.0", id: 7, method: "ping" };
const json = { "content-type": "application/json" };
const noUtf8 = new Uint8Array([0x22, 0xff]);
const future = JSON.stringify(modernMessage("server/discover")).replaceAll("2026-07-28", "2036-07-28");

test.each<[what: string, ask: CallOptions, status: number, code: number]>([
	["a body without the media type application/json", { raw: "{}" }, 415, -32_600],
	["a body that is not JSON", { raw: "{", headers: json }, 400, -32_700],
	["a body that is not UTF-8", { raw: noUtf8, headers: json }, 400, -32_700],
	["a batch of messages", { body: [message, message] }, 400, -32_600],
	["a body that is a number", { body: 5 }, 400, -32_600],
	["a body that is an object but not a message", { body: {} }, 400, -32_600],
	["an unknown method", { body: { ...message, method: "x" } }, 200, -32_601],
	["a body of more than 64 KiB", { body: { ...message, id: "x".repeat(66_000) } }, 413, -32_600],
	["the method `subscriptions/listen`", modernMessage("subscriptions/listen"), 404, -32_601],
	["an unknown revision in the message", JSON.parse(future), 400, -32_022],
])("POST /mcp refuses %s", async (_, ask, status, code) => {
	const answered = await post(ask);
	expect(answered.status).toBe(status);
	expect(read(answered).error.code).toBe(code);
});

test("POST /mcp accepts null in place of `arguments`", async () => {
	const { message } = await sendMessage(resort, "tools/call", { name: "lobby", arguments: null });
	expect(message.result.structuredContent).toMatchObject({ ok: true });
});

test("an argument with the name `__proto__` is refused like any other unknown argument", async () => {
	for (const [name, text] of [
		["send_postcard", '{"message":"Hello","__proto__":{"recipientId":1}}'],
		["lobby", '{"__proto__":{}}'],
	] as const) {
		const params = { name, arguments: JSON.parse(text) };
		for (const ask of [
			{ body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } },
			modernMessage("tools/call", params),
		]) {
			const { result } = read(await post(ask));
			const body = JSON.parse(result.content[0]?.text ?? "");
			expect(result.isError).toBe(true);
			expect(body).toMatchObject({ error: "Unknown argument __proto__", field: "__proto__", tool: name });
			expect(body.hint).toStartWith("Valid arguments: ");
		}
	}
});

test.each<[parameter: string, method: string, params: object]>([
	["protocolVersion", "initialize", {}],
	["protocolVersion", "initialize", { protocolVersion: 5, capabilities: {}, clientInfo: {} }],
	["uri", "resources/read", {}],
	["mood", "prompts/get", { name: "take_a_break", arguments: { mood: 5 } }],
	["name", "tools/call", { arguments: {} }],
	["arguments", "tools/call", { name: "lobby", arguments: 5 }],
])(
	"POST /mcp names the missing or invalid parameter `%s` of %s in one sentence",
	async (parameter, method, params) => {
		const error = { code: -32_602, message: `Missing or invalid parameter: ${parameter}` };
		const isOld = method === "initialize";
		const body = { jsonrpc: "2.0", id: "1 ]", method, params };
		for (const ask of isOld ? [{ body }] : [{ body }, modernMessage(method, params)]) {
			expect(read(await post(ask)).error).toEqual(error);
		}
	},
);

test.each(["argument", "Arguments", "args"])(
	"POST /mcp refuses the parameter `%s` of tools/call",
	async (name) => {
		const params = { name: "lobby", [name]: { limit: 1 } };
		const { message } = await sendMessage(resort, "tools/call", params);
		const error = { code: -32_602, message: `Send arguments instead of ${name}` };
		expect(message).toMatchObject({ id: 1, error });
	},
);

test.each([
	[403, "another origin", { origin: "https://evil.test" }],
	[403, "another site (Sec-Fetch-Site)", { "sec-fetch-site": "cross-site" }],
	[200, "the origin of the resort", { origin: "http://resort.test" }],
] as [number, string, Record<string, string>][])(
	"POST /mcp returns %i for a request from a page of %s",
	async (is, _, headers) => {
		const { status } = await post({ body: message, headers });
		expect(status).toBe(is);
	},
);

/** Origins of pages, and whether the pages belong to this machine. */
const pages: readonly [origin: string, isLocal: boolean][] = [
	["http://localhost:6274", true],
	["http://127.0.0.1:6274", true],
	["http://[::1]:6274", true],
	["https://localhost", true],
	["http://localhost.evil.test", false],
	["http://127.0.0.1.evil.test", false],
	["http://192.168.1.5", false],
	["null", false],
];

describe.each([
	["127.0.0.1", true],
	["0.0.0.0", false],
])("a resort that listens on %s", (host, listensLocally) => {
	const local = useResort({ shared: true, host });

	const rows = pages.map(([origin, isLocal]) => {
		return [listensLocally && isLocal ? "accepts" : "refuses", origin] as const;
	});
	test.each(rows)("%s calls of /mcp from a page with the origin %s", async (result, origin) => {
		const isAllowed = result === "accepts";
		const asked = "authorization,content-type,mcp-protocol-version";
		const preflight = await local.call("OPTIONS", "/mcp", {
			headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": asked },
		});
		const headers = { origin, "sec-fetch-site": "cross-site" };
		const called = await local.call("POST", "/mcp", { headers, body: message });
		const wrong = await local.call("GET", "/mcp", { headers });
		const answers = [preflight, called, wrong];
		expect(answers.map(({ status }) => status)).toEqual(isAllowed ? [204, 200, 405] : [403, 403, 403]);
		for (const { headers } of answers) {
			expect(headers.get("access-control-allow-origin")).toBe(isAllowed ? origin : null);
			expect(headers.get("vary")).toBe(isAllowed ? "Origin" : null);
			expect(headers.has("access-control-allow-credentials")).toBe(false);
		}
		const allowed = preflight.headers.get("access-control-allow-headers");
		expect(allowed).toBe(isAllowed ? asked : null);
		const register = { headers: { origin }, body: { name: "Eve" } };
		expect((await local.call("POST", "/api/agents", register)).status).toBe(403);
	});
});

test("POST /mcp/ returns the same body as POST /mcp, with X-Request-Id and `Cache-Control: no-store`", async () => {
	const answered = await resort.call("POST", "/mcp/", { body: message, headers: { "x-request-id": "mine" } });
	const { text } = await post({ body: message });
	expect([answered.status, answered.text]).toEqual([200, text]);
	expect(Object.fromEntries(answered.headers)).toMatchObject({
		"x-request-id": "mine",
		"x-content-type-options": "nosniff",
		"cache-control": "no-store",
	});
});
