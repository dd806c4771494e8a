import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { expectFailure } from "../../support/answers.ts";
import { forged, unknownKey } from "../../support/api-key.ts";
import type { CallOptions } from "../../support/calls.ts";
import {
	Caller,
	guarded,
	nameOf,
	type Operation,
	operations,
	pathOf,
	routes,
	rows,
} from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort({ shared: true });

type Wallet = Record<"key" | "session", string>;

type Sender = [name: string, send: (wallet: Wallet) => CallOptions | Promise<CallOptions>];

const authorization = (value: string, more: CallOptions = {}): CallOptions => ({
	...more,
	headers: { authorization: value },
});

const goodKeys: Sender[] = [
	["only a key", ({ key }) => ({ key })],
	["only a key, after the scheme `BEARER`", ({ key }) => authorization(`BEARER ${key}`)],
	["a key and an invalid session", ({ key }) => ({ key, session: "wrong" })],
];

const goodSessions: Sender[] = [
	["only a session", ({ session }) => ({ session })],
	["a session and the scheme `Basic`", ({ session }) => authorization("Basic YTpi", { session })],
	["a session and the scheme `BearerToken`", ({ session }) => authorization("BearerToken x", { session })],
];

const goodSessionsWithBadKeys: Sender[] = [
	...["Bearer", "bearer ai_1234567890"].map(
		(header): Sender => [
			`a session and the invalid field \`Authorization: ${header}\``,
			({ session }) => authorization(header, { session }),
		],
	),
	[
		"a session of one agent and the key of another, deactivated agent",
		async ({ session }) => ({ key: (await retired()).key, session }),
	],
];

const bad: Sender[] = [
	["neither key nor session", () => ({})],
	["`Authorization: Bearer` without a key", () => authorization("Bearer")],
	["a key after the scheme Basic", ({ key }) => authorization(`Basic ${key}`)],
	["a key without a scheme", ({ key }) => authorization(key)],
	["another word after the key", ({ key }) => ({ key: `${key} more` })],
	["a key of an identity provider", () => ({ key: `ai_${"a".repeat(40)}` })],
	["a key that is far too long", () => ({ key: `ar_${"a".repeat(100_000)}` })],
	["a key whose checksum is wrong", ({ key }) => ({ key: mistyped(key) })],
	["an unknown key", ({ key }) => ({ key: unknownKey(key) })],
	["the id of a valid key and a wrong secret", ({ key }) => ({ key: forged(key) })],
	["a session token in place of a key", ({ session }) => ({ key: session })],
	["a key in place of a session token", ({ key }) => ({ session: key })],
	["a wrong session", () => ({ session: "0".repeat(64) })],
	["a replaced key", async () => ({ key: (await replaced()).key })],
	["a session whose key was replaced", async () => ({ session: (await replaced()).session })],
	["a key of a deactivated agent", async () => ({ key: (await retired()).key })],
	["a session of a deactivated agent", async () => ({ session: (await retired()).session })],
];

/** A way of sending credentials, and the kinds of operations that accept it. */
type Case = [...Sender, taken: readonly string[]];

const casesOf = (senders: readonly Sender[], ...taken: string[]) =>
	senders.map((sender): Case => [...sender, taken]);

const cases: Case[] = [
	...casesOf(goodKeys, "any", "key"),
	...casesOf(goodSessions, "any", "session"),
	["a key and a session of the same agent", (both) => both, ["any", "key", "session"]],
	...casesOf(goodSessionsWithBadKeys, "session"),
	...casesOf(bad),
];

async function wallet(): Promise<Wallet> {
	const { key } = await Caller.create(resort);
	return { key, session: await resort.login(key) };
}

async function replaced(): Promise<Wallet> {
	const old = await wallet();
	await resort.call("POST", "/api/me/api-key", { key: old.key });
	return old;
}

async function retired(): Promise<Wallet> {
	const old = await wallet();
	await resort.call("DELETE", "/api/me", { key: old.key });
	return old;
}

function mistyped(key: string): string {
	return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

function call({ method, body, ...operation }: Operation, ask: CallOptions) {
	const path = pathOf({ method, ...operation });
	return resort.call(method, path, { ...(body && { body: body.good }), ...ask });
}

/**
 * The first operation for each kind of credential. These operations are called with all cases, and all other
 * operations only with the cases in `basicCases`.
 */
const firsts = guarded.filter(
	(one) => one === guarded.find(({ credential }) => credential === one.credential),
);
const basicCases = ["only a key", "only a session", "neither key nor session"];

describe.each(rows(guarded))("%s", (_, operation) => {
	const own = cases
		.filter(([name]) => firsts.includes(operation) || basicCases.includes(name))
		.map(([name, send, taken]) => {
			const isAccepted = taken.includes(operation.credential);
			return [isAccepted ? "accepts" : "refuses", name, send, isAccepted] as const;
		});

	test.each(own)("%s a call with %s", async (_verb, _name, send, isAccepted) => {
		const answered = await call(operation, await send(await wallet()));
		if (isAccepted) {
			expect([401, 403, 500], answered.text).not.toContain(answered.status);
			expect(answered.headers.has("www-authenticate")).toBe(false);
		} else {
			expectFailure(answered, 401);
			expect(answered.body.error).toBe("Unauthorized");
		}
	});
});

test.each(rows(firsts))("%s refuses a session that expired after 7 days", async (_, operation) => {
	const { session } = await wallet();
	resort.advance(7 * DAY_MS - 1);
	const { status } = await resort.call("GET", "/api/me", { session });
	expect(status).toBe(200);
	resort.advance(1);
	expectFailure(await call(operation, { session }), 401);
});

test.each([
	["the field `Authorization`", "GET", "/api/me", { key: `ar_${"a".repeat(20)}` }],
	["the session cookie", "GET", "/api/me", { session: "0".repeat(64) }],
	["the body of a login", "POST", "/api/session", { body: { apiKey: "ar_foo_barbarbar" } }],
] as const)(
	"the hint for an invalid credential in %s names no other place",
	async (_, method, path, sent) => {
		const { status, body } = await resort.call(method, path, sent);
		expect(status).toBe(401);
		expect(body.hint).toStartWith(
			"The credential is mistyped, replaced or expired, or its agent is deactivated.",
		);
		expect(body.hint).not.toMatch(/header|cookie/i);
	},
);

test("every route of the application is in the contract of the API", () => {
	expect(operations.map(nameOf).sort()).toEqual([...routes].sort());
});

describe("the Cookie field", () => {
	const NAME = "__Host-resort_session";

	/** Requests `/api/me` with the Cookie field `cookie`, in which `SESSION` stands for a valid token. */
	async function readWith(cookie: string) {
		const { session } = await wallet();
		return resort.me({ headers: { cookie: cookie.replaceAll("SESSION", session) } });
	}

	test.each([
		["it has only separators", ";;;=;="],
		["it has only the name of the session cookie", NAME],
		["the name is in lower case", `${NAME.toLowerCase()}=SESSION`],
		["a letter precedes the name", `x${NAME}=SESSION`],
		["a no-break space precedes the name", `\u00a0${NAME}=SESSION`],
		["a no-break space precedes the name after another cookie", `a=1; \u00a0${NAME}=SESSION`],
		["a no-break space follows the name", `${NAME}\u00a0=SESSION`],
		["a comma separates the token from another cookie", `a=1, ${NAME}=SESSION`],
		["a wrong token precedes the right one", `${NAME}=wrong; ${NAME}=SESSION`],
		["an empty token precedes the right one", `${NAME}=; ${NAME}=SESSION`],
	])("is refused with 401 if %s", async (_, cookie) => expectFailure(await readWith(cookie), 401));

	test.each([
		["between other cookies", `a=1; ${NAME}=SESSION; b=2`],
		["between invalid cookies", `a={; ${NAME}=SESSION; =`],
		["before a wrong token", `${NAME}=SESSION; ${NAME}=wrong`],
		["after a cookie of the same name without `=`", `${NAME}; ${NAME}=SESSION`],
		["between spaces and tabs", `a=1;\t${NAME} = SESSION \t;b`],
	])("is accepted if the session token stands %s", async (_, cookie) => {
		const { status, text } = await readWith(cookie);
		expect(status, text).toBe(200);
	});
});
