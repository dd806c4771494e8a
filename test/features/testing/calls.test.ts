import { describe, expect, test } from "bun:test";
import type { CompletedRequest } from "../../../src/core/http/send-response.ts";
import { CallRecorder } from "../../../src/features/testing/recorded-calls.ts";
import { useControls } from "./controls.ts";
import { keyOf } from "./fixtures.ts";

const { resort: context, control } = useControls();

const calls = async (query = "") => (await control("GET", `calls${query}`)).body.calls;

describe("GET /test/calls", () => {
	test("returns the recorded calls, newest first, including calls with a cached response", async () => {
		const { id, key } = await context.guest();
		await control("DELETE", "calls");
		const headers = { "x-request-id": "one" };
		await context.call("GET", `/api/agents/${id}/status?expect=available`, { headers });
		await context.call("GET", `/api/agents/${id}/status?expect=available`, { headers });
		await context.call("GET", "/api/me?_a=1&_b", { key, headers });
		await context.call("GET", "/api/nowhere", { headers });
		const { text } = await control("GET", "calls");
		// To record the snapshot again, add --update-snapshots.
		expect(JSON.parse(text.replaceAll(id, "ID"))).toMatchSnapshot();
	});

	test("returns only the calls of the operation or agent that the query names", async () => {
		const ada = await context.guest();
		await context.guest();
		await context.call("GET", "/api/lobby");
		expect((await calls("?operation=checkIn")).length).toBe(2);
		expect((await calls(`?agentId=${ada.id.toUpperCase()}`)).length).toBe(1);
		expect(await calls(`?operation=getLobby&agentId=${ada.id}`)).toEqual([]);
		expect((await calls("?operation=getLobby")).length).toBe(1);
		expect(await calls("?operation=&agentId=")).toEqual(await calls());
	});

	test("returns 400 for an unknown operation, and for an invalid agent id", async () => {
		const wrong = await control("GET", "calls?operation=chekIn");
		expect(wrong.status).toBe(400);
		expect(wrong.body.hint).toContain("checkIn");
		expect(wrong.body.hint).toEndWith("those under /test are not accepted.");
		expect((await control("GET", "calls?agentId=x")).status).toBe(400);
	});

	test("returns the id of the injected fault that affected a call, and the status null for a dropped call", async () => {
		for (const fault of [{ status: 503 }, { drop: true }, { delayMs: 1 }]) {
			context.faults.arm({ operation: "getHealth", ...fault });
		}
		for (let at = 0; at < 4; at++) {
			const request = new Request("http://resort.test/api/health");
			await (await context.fetch(request)).text().catch(() => "");
		}
		const told = (await calls()).map(({ status, fault }) => [status, fault]);
		expect(told).toEqual([
			[200, null],
			[200, "3"],
			[null, "2"],
			[503, "1"],
		]);
	});

	test("omits calls of test controls, and returns no calls after a reset", async () => {
		await control("GET", "state");
		await control("GET", "none");
		expect(await calls()).toEqual([]);
		await context.call("GET", "/api/lobby");
		expect((await calls()).length).toBe(1);
		await control("POST", "reset");
		expect(await calls()).toEqual([]);
	});

	test("returns no API key that was in the query, the path or the id of a request", async () => {
		const { key } = await context.guest();
		await context.call("GET", `/api/lobby?key=${key}`);
		await context.call("GET", `/api/agents/${key}/status`);
		const headers = { "x-request-id": `call/${key}` };
		await context.call("GET", "/api/lobby", { headers });
		const { text } = await control("GET", "calls");
		expect(text).not.toContain(key.slice(0, 12));
		expect(text).toContain("(hidden)");
	});
});

describe("CallRecorder", () => {
	const nothing = { operation: null, agentId: null, fault: null };
	/** Records a call that began at `startedAt`, a time by `performance.now()`. */
	function add(history: CallRecorder, startedAt: number, { path = "/", query = "", requestId = "" } = {}) {
		const completed = { ...nothing, method: "GET", status: 200, atMs: 0, startedAt, requestId };
		const request = new Request(`http://resort.example${path}?${query}`);
		history.observe(completed as unknown as CompletedRequest, request);
	}

	test("keeps the newest 10,000 calls", () => {
		const history = new CallRecorder();
		for (let at = 1; at <= 10_007; at++) add(history, at, { path: `/${at}` });
		const list = history.list();
		expect([list.length, list[0]?.path, list.at(-1)?.path]).toEqual([10_000, "/10007", "/8"]);
	});

	test("lists calls by their start, newest first, and ignores calls that started before a reset", () => {
		const history = new CallRecorder();
		const early = performance.now();
		add(history, 2, { path: "/second" });
		add(history, 3, { path: "/third" });
		add(history, 0, { path: "/first" });
		const paths = () => history.list().map(({ path }) => path);
		expect(paths()).toEqual(["/third", "/second", "/first"]);
		history.clear();
		add(history, early, { path: "/early" });
		add(history, performance.now(), { path: "/late" });
		expect(paths()).toEqual(["/late"]);
	});

	test("truncates a path to 256 characters, and a query to 4,096", () => {
		const history = new CallRecorder();
		add(history, 1, { path: `/${"ab/".repeat(5_000)}`, query: "q=ab&".repeat(5_000) });
		expect(history.list().map(({ path, query }) => [path.length, query.length])).toEqual([[256, 4_096]]);
	});

	const key = keyOf("a");
	const uuid = "019b76da-a800-70a7-830f-5df8a2488a5b";
	type Field = "query" | "path" | "requestId";
	const recorded = (field: Field, sent: string) => {
		const history = new CallRecorder();
		add(history, 1, { [field]: sent });
		return history.list()[0]?.[field];
	};

	test.each<[what: string, field: Field, sent: string, masked: string]>([
		["an API key in the query", "query", `a=${key}&b=1`, "a=(hidden)&b=1"],
		["an API key with an encoded character", "query", `a=%61r_${key.slice(3)}`, "a=(hidden)"],
		["an API key with a character that is encoded three times", "query", "a=%252561r_x", "a=(hidden)"],
		["a key of the identity provider in upper case", "query", "a=AI_x", "a=(hidden)"],
		["the value of an Authorization header", "query", "a=Bearer+x", "a=(hidden)"],
		["a webhook secret in the query", "query", "a=whsec_x", "a=(hidden)"],
		["a parameter whose encoded name ends with key", "query", "api%4bey=short", "api%4bey=(hidden)"],
		["a word of 32 characters that contains a digit", "query", `a=${"x".repeat(31)}1`, "a=(hidden)"],
		["a parameter whose name ends with token", "query", "access_token=x", "access_token=(hidden)"],
		["64 hexadecimal digits in the query", "query", `a=${"0f".repeat(32)}`, "a=(hidden)"],
		["an API key in the path", "path", `/api/${key}/x`, "/api/(hidden)/x"],
		["a request id that contains an API key", "requestId", `first-${key}`, "(hidden)"],
		["a request id that is a webhook secret", "requestId", "whsec_x", "(hidden)"],
	])("masks %s", (_, field, sent, masked) => {
		expect(recorded(field, sent)).toBe(masked);
	});

	test.each<[what: string, field: Field, sent: string]>([
		["an empty query", "query", ""],
		["parameters without a value", "query", "a=1&b&c="],
		["a list of ids", "query", `ids=${uuid},${uuid}&wait=5`],
		["words in which ar_ or bearer follows a digit", "query", "a=9ar_x&b=9bearer+x"],
		["an API key with a character that is encoded four times", "query", "a=%25252561r_x"],
		["an empty token", "query", "token=&b=1"],
		["a word of 31 characters that contains a digit", "query", `a=${"x".repeat(30)}1`],
		["a word of 32 letters", "query", `a=${"x".repeat(32)}`],
		["the id of an experience", "query", `a=exp-${uuid}`],
		["an id in the path", "path", `/api/agents/${uuid}/status`],
		["a request id that is a UUID", "requestId", uuid],
		["a request id of 64 hexadecimal digits", "requestId", "0f".repeat(32)],
		["a request id that begins with the word bearer", "requestId", "bearer-keys/1"],
	])("does not mask %s", (_, field, sent) => {
		expect(recorded(field, sent)).toBe(sent);
	});
});
