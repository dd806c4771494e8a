import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import type { Registered } from "../../support/calls.ts";
import { TestResort } from "../../support/resort.ts";
import { useInstances } from "../../support/use-resort.ts";
import { first, fogBathing } from "../../support/values.ts";

const KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324";
const BREATHE = "/api/activities/tidepool-float/do";
const USED = "This idempotency key was used for another call";

const [resort, another] = useInstances({ rateLimits: true });
let ada: Registered;
let made: string;

beforeEach(async () => {
	ada = await resort.guest({ name: "Ada" });
	made = (await call("/api/experiences", fogBathing, "first")).body.experience.id;
	await resort.call("POST", `/api/experiences/${made}/do`, { key: ada.key });
});

const call = (path: string, body: object = {}, idempotencyKey = KEY, { key } = ada, instance = resort) =>
	instance.call("POST", path, {
		key,
		body,
		// Pads the key to the minimum length.
		headers: { "idempotency-key": `"${idempotencyKey.padEnd(16, ".")}"` },
	});

/** The calls that accept an idempotency key, by what they do, each with its path and two different bodies. */
const operations: Record<string, () => [path: string, body: object, other: object]> = {
	"do an activity": () => [BREATHE, { notes: "calm" }, { notes: "cold" }],
	"do an experience": () => [`/api/experiences/${made}/do`, {}, { notes: "x" }],
	"create an experience": () => ["/api/experiences", fogBathing, { ...fogBathing, name: "Mist" }],
	vote: () => [`/api/experiences/${made}/vote`, { rating: 4 }, { rating: 5 }],
	"send a postcard": () => ["/api/postcards", { message: "Hello 🌊" }, { message: "Bye" }],
};

/** Returns the responses that would differ if a change were made twice. */
async function state() {
	const paths = [
		"/api/stays",
		"/api/activities/log",
		"/api/postcards/mine",
		"/api/experiences/votes/mine",
		"/api/experiences",
		"/api/stats",
	];
	const key = ada.key;
	const answers = await Promise.all(paths.map((path) => resort.call("GET", path, { key })));
	const { events } = (await resort.call("GET", "/api/events?since=0")).body;
	return [...answers.map(({ text }) => text), events.length];
}

describe("repeated calls with the same Idempotency-Key", () => {
	test.each(Object.entries(operations))(
		"%s only once, and all get the same response, even from another instance",
		async (_, parts) => {
			const [path, body, other] = parts();
			const before = await state();
			const answers = await Promise.all(Array.from({ length: 10 }, () => call(path, body)));
			const { status, text } = first(answers);
			expect(status).toBeOneOf([200, 201]);
			for (const one of answers) expect([one.status, one.text]).toEqual([status, text]);
			const after = await state();
			expect(after).not.toEqual(before);
			expect(Number(after.at(-1))).toBe(Number(before.at(-1)) + 1);
			expect((await call(path, body, KEY, ada, another)).text).toBe(text);
			expectRefusal(await call(path, other), 422, USED);
			expectRefusal(await call("/api/checkin", {}), 422, USED);
			expect(await state()).toEqual(after);
		},
	);

	test("return the stay of the first check-in, even after check-out", async () => {
		const bob = await resort.register({ name: "Bob" });
		const checkIn = (instance = resort) => call("/api/checkin", { moodOnArrival: "x" }, KEY, bob, instance);
		const answers = await Promise.all(Array.from({ length: 10 }, () => checkIn()));
		const { status, text } = first(answers);
		expect(status).toBe(201);
		expect(new Set(answers.map((one) => one.text))).toEqual(new Set([text]));
		await resort.call("POST", "/api/checkout", { key: bob.key });
		expect((await checkIn(another)).text).toBe(text);
		const { body } = await resort.call("GET", "/api/stays", { key: bob.key });
		expect(body.stays).toHaveLength(1);
	});

	test("return the API key of the first registration, and store this key only encrypted", async () => {
		const register = (name: string, peer = "192.0.2.7", key = KEY, instance = resort) =>
			instance.call("POST", "/api/agents", { peer, body: { name }, headers: { "idempotency-key": key } });
		const answers = await Promise.all(Array.from({ length: 10 }, () => register("Bob")));
		const { text, body } = first(answers);
		expect(new Set(answers.map((one) => `${one.status} ${one.text}`))).toEqual(new Set([`201 ${text}`]));
		expect((await register("Bob", "192.0.2.7", KEY, another)).text).toBe(text);
		expectRefusal(await register("Eve"), 422, USED);
		const elsewhere = await register("Bob", "192.0.2.8");
		expect(elsewhere.body.apiKey).not.toBe(body.apiKey);
		const short = await register("Bob", "192.0.2.7", KEY.slice(0, 31));
		expectRefusal(short, 400, "Idempotency-Key must have at least 32 characters for a registration");
		const just = await register("Bob", "192.0.2.7", KEY.slice(0, 32));
		expect(just.status).toBe(201);
		const rows = await resort.rows("SELECT scope, key_hash, sealed_answer FROM idempotency_keys");
		expect(rows.length).toBeGreaterThan(1);
		const stored = rows
			.flatMap((row) => Object.values(row))
			.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value))
			.join();
		for (const secret of [KEY, "192.0.2.7", "Bob", body.apiKey.slice(3)]) {
			expect(stored).not.toContain(secret);
		}
	});
});

test("two agents can use the same idempotency key", async () => {
	const bob = await resort.guest({ name: "Bob" });
	await call(BREATHE);
	const { body } = await call(BREATHE, { notes: "mine" }, KEY, bob);
	expect(body.log).toMatchObject({ notes: "mine" });
});

test("an idempotency key expires after 10 minutes", async () => {
	const earlier = await call(BREATHE);
	resort.advance(10 * MINUTE_MS - 1);
	expect((await call(BREATHE)).text).toBe(earlier.text);
	resort.advance(1);
	const second = await call(BREATHE);
	expect(second.body.log).not.toEqual(earlier.body.log);
	expect((await call(BREATHE)).text).toBe(second.text);
});

test("the resort keeps the newest 100 idempotency keys of an agent", async () => {
	await using unlimited = new TestResort();
	const agent = await unlimited.guest();
	const repeat = async (number: number) => (await call(BREATHE, {}, `key ${number}`, agent, unlimited)).text;
	const first = await repeat(0);
	for (let number = 1; number < 100; number++) await repeat(number);
	expect(await repeat(0)).toBe(first);
	await repeat(100);
	expect(await repeat(0)).not.toBe(first);
});

test("an Idempotency-Key of a refused call can be used again, and repeats of a successful call are not rate-limited", async () => {
	const send = (key: string) => call("/api/postcards", { message: "Hello" }, key);
	for (let sent = 0; sent < 10; sent++) await send(`postcard ${sent}`);
	expect((await send("postcard 10")).status).toBe(429);
	const repeated = await send("postcard 9");
	expect(repeated.status).toBe(201);
	expect(repeated.headers.get("ratelimit")).toBeNull();
	await call("/api/checkin", {}, "early");
	await resort.call("POST", "/api/checkout", { key: ada.key });
	expect((await call("/api/checkin", {}, "early")).status).toBe(201);
});

test("an idempotency key is the same with and without quotation marks", async () => {
	const quoted = await call(BREATHE);
	const headers = { "idempotency-key": KEY };
	const plain = await resort.call("POST", BREATHE, { key: ada.key, headers, body: {} });
	expect(plain.text).toBe(quoted.text);
});

test.each(Object.entries(operations))(
	"a call with `Prefer: return=minimal` to %s returns only ids, points and next calls",
	async (_, parts) => {
		const [path, body] = parts();
		const ask = (prefer: string) => resort.call("POST", path, { key: ada.key, body, headers: { prefer } });
		const { headers, body: answer, text } = await ask("return=minimal");
		expect(headers.get("preference-applied")).toBe("return=minimal");
		const { ok, next, toRested, relaxationPoints, ...rest } = answer;
		expect(next).not.toBeEmpty();
		for (const resource of Object.values(rest)) {
			expect(Object.keys(resource as object)).toEqual(["id"]);
		}
		const whole = await ask("return=representation");
		expect(whole.headers.get("preference-applied")).toBeNull();
		expect(whole.text.length).toBeGreaterThan(text.length);
	},
);
