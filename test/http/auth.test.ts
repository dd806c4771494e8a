import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/lib/clock.ts";
import { expectFailure } from "../support/answers.ts";
import { checksumOf, forged, unknownKey } from "../support/api-key.ts";
import { Caller } from "../support/caller.ts";
import {
	guarded,
	nameOf,
	type Operation,
	operations,
	pathOf,
	routes,
	rows,
} from "../support/operations.ts";
import type { Ask } from "../support/resort.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort();

/** What an agent has to authenticate with. */
interface Wallet {
	readonly key: string;
	readonly session: string;
}

type Accepted = Exclude<Operation["credential"], "none">;

/** What is sent, and which kinds of operations take it. */
interface Case {
	readonly name: string;
	readonly send: (wallet: Wallet) => Ask | Promise<Ask>;
	readonly taken: readonly Accepted[];
}

const authorization = (value: string, more: Ask = {}): Ask => ({
	...more,
	headers: { authorization: value },
});

const keyCounts: readonly Accepted[] = ["any", "key"];
const sessionCounts: readonly Accepted[] = ["any", "session"];
const onlyTheCookieCounts: readonly Accepted[] = ["session"];
const eitherCounts: readonly Accepted[] = ["any", "key", "session"];

const good: Case[] = [
	{ name: "a key", send: ({ key }) => ({ key }), taken: keyCounts },
	{
		name: "a key, scheme in lower case",
		send: ({ key }) => authorization(`bearer ${key}`),
		taken: keyCounts,
	},
	{
		name: "a key, scheme in capitals",
		send: ({ key }) => authorization(`BEARER ${key}`),
		taken: keyCounts,
	},
	{
		name: "a session",
		send: ({ session }) => ({ session }),
		taken: sessionCounts,
	},
	{ name: "a key and its session", send: (both) => both, taken: eitherCounts },
	{
		name: "a key and a wrong cookie",
		send: ({ key }) => ({ key, session: "wrong" }),
		taken: keyCounts,
	},
	{
		name: "another scheme and a session",
		send: ({ session }) => authorization("Basic YTpi", { session }),
		taken: sessionCounts,
	},
	{
		name: "a scheme that only begins like Bearer and a session",
		send: ({ session }) => authorization("BearerToken x", { session }),
		taken: sessionCounts,
	},
	...["Bearer", "Bearer ", "Bearer wrong", "bearer ai_1234567890"].map(
		(header) => ({
			name: `"${header}" and a session`,
			send: ({ session }: Wallet) => authorization(header, { session }),
			taken: onlyTheCookieCounts,
		}),
	),
	{
		name: "another agent's retired key and a session",
		send: async ({ session }) => ({ key: (await retired()).key, session }),
		taken: onlyTheCookieCounts,
	},
];

const senders: [string, Case["send"]][] = [
	["nothing", () => ({})],
	["an empty Authorization", () => authorization("")],
	["Bearer and nothing", () => authorization("Bearer")],
	["another scheme", ({ key }) => authorization(`Basic ${key}`)],
	["a key without a scheme", ({ key }) => authorization(key)],
	["two keys", ({ key }) => ({ key: `${key}, Bearer ${key}` })],
	["a key and more", ({ key }) => ({ key: `${key} more` })],
	["a key that breaks off", ({ key }) => ({ key: key.slice(0, -1) })],
	["a key that goes on", ({ key }) => ({ key: `${key}0` })],
	["a key in capitals", ({ key }) => ({ key: key.toUpperCase() })],
	["half a key", () => ({ key: "ar_" })],
	["a key of another kind", ({ key }) => ({ key: `ai${key.slice(2)}` })],
	["a central key", () => ({ key: `ai_${"a".repeat(40)}` })],
	["a very long key", () => ({ key: `ar_${"a".repeat(100_000)}` })],
	["a wrong checksum", ({ key }) => ({ key: mistyped(key) })],
	["a key that nobody was given", ({ key }) => ({ key: unknownKey(key) })],
	["a known id with a wrong secret", ({ key }) => ({ key: forged(key) })],
	["a session as a key", ({ session }) => ({ key: session })],
	["a key as a session", ({ key }) => ({ session: key })],
	["a wrong session", () => ({ session: "0".repeat(64) })],
	["an empty session", () => ({ session: "" })],
	[
		"a session in capitals",
		({ session }) => ({ session: session.toUpperCase() }),
	],
	["a replaced key", async () => ({ key: (await replaced()).key })],
	[
		"a replaced key's session",
		async () => ({ session: (await replaced()).session }),
	],
	["a deactivated agent's key", async () => ({ key: (await retired()).key })],
	["its session", async () => ({ session: (await retired()).session })],
];

const bad: Case[] = senders.map(([name, send]) => ({ name, send, taken: [] }));

async function wallet(): Promise<Wallet> {
	const { key } = await Caller.create(resort);
	return { key, session: await resort.login(key) };
}

async function replaced(): Promise<Wallet> {
	const old = await wallet();
	await resort.ask("POST", "/api/me/api-key", { key: old.key });
	return old;
}

async function retired(): Promise<Wallet> {
	const old = await wallet();
	await resort.ask("DELETE", "/api/me", { key: old.key });
	return old;
}

/** A key with another last character. */
function mistyped(key: string): string {
	return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

function call({ method, body, ...operation }: Operation, ask: Ask) {
	const path = pathOf({ method, ...operation });
	return resort.ask(method, path, { ...(body && { body: body.good }), ...ask });
}

describe.each(rows(guarded))("%s", (_, operation) => {
	const accepted = operation.credential as Accepted;

	test.each([...good, ...bad])("$name", async ({ send, taken }) => {
		const answered = await call(operation, await send(await wallet()));
		if (taken.includes(accepted)) {
			expect([401, 403, 500], answered.text).not.toContain(answered.status);
			expect(answered.headers.has("www-authenticate")).toBe(false);
		} else {
			expectFailure(answered, 401);
			expect(answered.body.error).toBe("Unauthorized");
		}
	});

	test("a session that has ended", async () => {
		const { session } = await wallet();
		resort.advance(7 * DAY_MS - 1);
		const { status } = await resort.ask("GET", "/api/me", { session });
		expect(status).toBe(200);
		resort.advance(1);
		expectFailure(await call(operation, { session }), 401);
	});
});

test("every route is the contract's, and says whether it needs a credential", () => {
	expect(operations.map(nameOf).sort()).toEqual([...routes].sort());
});

test("a key ends in the checksum of all before it", async () => {
	const { key } = await wallet();
	expect(key).toMatch(/^ar_[0-9A-Za-z]+_[0-9A-Za-z]+$/);
	expect(key).toEndWith(checksumOf(key.slice(0, -6)));
	expect(mistyped(key)).not.toBe(key);
});
