/** Every tampering with a call, through the whole application: 401, and nothing is changed. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { contentDigest } from "../../../src/auth/provider/signature-base.ts";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import {
	BODY,
	handSigned,
	NOW,
	NOW_MS,
	type Pieces,
	pieces,
	withParameter,
} from "./calls.ts";
import { House, keyOf } from "./house.ts";

const PATH = "/api/checkin?dry=1&x=%20";
const OTHER_BODY = '{"roomPreference":"forest"}';

/** A call as it is sent. */
interface Sent {
	readonly method: string;
	readonly path: string;
	readonly body: string | null;
	readonly headers: Record<string, string>;
}

/** The call that {@link handSigned} signs. */
function sent(changes: Partial<Pieces> = {}): Sent {
	const { headers } = handSigned(changes);
	return {
		method: "POST",
		path: PATH,
		body: BODY,
		headers: {
			"content-type": "application/json",
			...Object.fromEntries(headers),
		},
	};
}

/** A house whose guest was last heard of two minutes ago, at the time of the signed call. */
async function oldHouse(): Promise<House> {
	const context = new House({
		baseUrl: "https://resort.example/base",
		nowMs: NOW_MS - 2 * MINUTE_MS,
	});
	await context.resort.ask("GET", "/api/me", { key: keyOf("user-1") });
	context.resort.advance(2 * MINUTE_MS);
	return context;
}

const ask = ({ resort }: House, { method, path, body, headers }: Sent) =>
	resort.ask(method, path, { headers, ...(body !== null && { raw: body }) });

/** Holds that a call is refused and changes nothing, and that the good one is taken after it. */
async function holdsOut(bad: Sent): Promise<void> {
	await using context = await oldHouse();
	const before = await context.resort.dump();
	expectRefusal(await ask(context, bad), 401, "Unauthorized");
	expect(await context.resort.dump()).toBe(before);
	expect((await ask(context, sent())).status).toBe(201);
	expect(await context.resort.dump()).not.toBe(before);
}

const withHeaders = (headers: Record<string, string>): Sent => {
	const good = sent();
	return { ...good, headers: { ...good.headers, ...headers } };
};

const without = (name: string): Sent => {
	const { [name]: _, ...headers } = sent().headers;
	return { ...sent(), headers };
};

const edited = (from: string, to: string): Sent => {
	const input = sent().headers["signature-input"] ?? "";
	expect(input).toContain(from);
	return withHeaders({ "signature-input": input.replace(from, to) });
};

const signature = () => sent().headers.signature ?? "";

describe("changed after it was signed", () => {
	test.each<[what: string, bad: () => Sent]>([
		["another operation", () => ({ ...sent(), path: "/api/checkout?dry=1" })],
		[
			"another method",
			() => ({ ...sent(), method: "GET", path: "/api/me", body: null }),
		],
		["another query", () => ({ ...sent(), path: "/api/checkin?dry=2&x=%20" })],
		["no query", () => ({ ...sent(), path: "/api/checkin" })],
		[
			"a query written otherwise",
			() => ({ ...sent(), path: "/api/checkin?dry=1&x=+" }),
		],
		["another body", () => ({ ...sent(), body: OTHER_BODY })],
		["no body", () => ({ ...sent(), body: null })],
		["white space in the body", () => ({ ...sent(), body: `${BODY} ` })],
		[
			"another body with its digest",
			() => ({
				...withHeaders({
					"content-digest": contentDigest(Buffer.from(OTHER_BODY)),
				}),
				body: OTHER_BODY,
			}),
		],
		["another subject", () => withHeaders({ "x-agent-subject": "user-2" })],
		["another agent", () => withHeaders({ "x-agent-id": "agent-2" })],
		[
			"another capability",
			() => withHeaders({ "x-agent-capability": "checkOut" }),
		],
		["another mode", () => withHeaders({ "x-agent-mode": "autonomous" })],
		["another key id", () => edited("resort-1", "resort-2")],
		["an unknown key id", () => edited("resort-1", "resort-3")],
		["another algorithm", () => edited("hmac-sha256", "hmac-sha512")],
		["another tag", () => edited("agent-auth-proxy", "other")],
		["another nonce", () => edited("nonce-1", "nonce-2")],
		["a later end", () => edited(`expires=${NOW + 60}`, `expires=${NOW + 59}`)],
		["another time", () => edited(`created=${NOW}`, `created=${NOW + 1}`)],
		["a component less", () => edited(' "x-agent-mode"', "")],
		["another label", () => edited("sig1=", "sig2=")],
		[
			"another signature",
			() => withHeaders({ signature: `sig1=:${"A".repeat(43)}=:` }),
		],
		[
			"a signature cut short",
			() => withHeaders({ signature: `sig1=:${"A".repeat(40)}:` }),
		],
		[
			"two signatures",
			() =>
				withHeaders({ signature: `${signature()}, sig2=:${"A".repeat(43)}=:` }),
		],
		[
			"the same signature twice",
			() => withHeaders({ signature: `${signature()}, ${signature()}` }),
		],
		["no content-digest", () => without("content-digest")],
		["no signature", () => without("signature")],
		["no signature-input", () => without("signature-input")],
		["no subject", () => without("x-agent-subject")],
		["no agent", () => without("x-agent-id")],
		["no capability", () => without("x-agent-capability")],
		["no mode", () => without("x-agent-mode")],
		[
			"a good central key beside another subject",
			() =>
				withHeaders({
					"x-agent-subject": "user-2",
					authorization: `Bearer ${keyOf("user-1")}`,
				}),
		],
		[
			"a good central key beside a signature that is none",
			() => ({
				...sent(),
				headers: { signature: "x", authorization: `Bearer ${keyOf("user-1")}` },
			}),
		],
	])("%s", async (_what, bad) => {
		await holdsOut(bad());
	});
});

describe("signed with the right key all the same", () => {
	const components = (...list: string[]): Partial<Pieces> => ({
		components: list.map((name) => (name.includes('"') ? name : `"${name}"`)),
	});
	const all = pieces.components;
	const times = (created: number, expires: number): Partial<Pieces> => ({
		parameters: [
			`created=${created}`,
			`expires=${expires}`,
			...pieces.parameters.slice(2),
		],
	});
	const parameter = (name: string, text: string | null): Partial<Pieces> => ({
		parameters: withParameter(name, text),
	});

	test.each<[what: string, changes: Partial<Pieces>]>([
		["a component less", components(...all.slice(0, -1))],
		["no component", components()],
		["components in another order", components(...[...all].reverse())],
		["a component more", components(...all, "content-type")],
		["a component twice", components(...all, "@method")],
		[
			"@path instead of the address",
			components("@method", "@path", ...all.slice(2)),
		],
		["@authority beside it", components(...all, "@authority")],
		[
			"a component with a parameter",
			components('"@method";req', ...all.slice(1)),
		],
		["expired", times(NOW - 100, NOW - 31)],
		["of the future", times(NOW + 31, NOW + 60)],
		["61 s long", times(NOW, NOW + 61)],
		["ending before it begins", times(NOW, NOW - 1)],
		["of before the start", times(NOW - 121, NOW - 61)],
		["without created", parameter("created", null)],
		["without expires", parameter("expires", null)],
		["without nonce", parameter("nonce", null)],
		["with an empty nonce", parameter("nonce", 'nonce=""')],
		["without a key id", parameter("keyid", null)],
		[
			"with the key id of the other secret",
			parameter("keyid", 'keyid="resort-2"'),
		],
		["without an algorithm", parameter("alg", null)],
		["with another algorithm", parameter("alg", 'alg="hmac-sha512"')],
		["without a tag", parameter("tag", null)],
		["with another tag", parameter("tag", 'tag="web-bot-auth"')],
		[
			"for the host that it is sent to",
			{
				request: { targetUri: `http://resort.test${PATH}` },
			},
		],
		[
			"for the address without the base URL's path",
			{
				request: { targetUri: `https://resort.example${PATH}` },
			},
		],
		[
			"with the capability of another operation",
			{
				headers: { ...pieces.headers, "x-agent-capability": "checkOut" },
			},
		],
		[
			"with the capability in other letters",
			{
				headers: { ...pieces.headers, "x-agent-capability": "CheckIn" },
			},
		],
		[
			"with the digest of another body",
			{
				headers: {
					...pieces.headers,
					"content-digest": contentDigest(Buffer.from(OTHER_BODY)),
				},
			},
		],
		[
			"with the digest of another algorithm",
			{
				headers: {
					...pieces.headers,
					"content-digest": `sha-512=:${new Bun.CryptoHasher("sha512").update(BODY).digest("base64")}:`,
				},
			},
		],
	])("%s", async (_what, changes) => {
		await holdsOut(sent(changes));
	});

	test("but a key of another secret", async () => {
		const key = createHmac("sha256", "x").update("other").digest();
		await holdsOut(sent({ key }));
	});
});

test("sent a second time", async () => {
	await using context = await oldHouse();
	expect((await ask(context, sent())).status).toBe(201);
	context.resort.advance(MINUTE_MS);
	const before = await context.resort.dump();
	for (const again of [
		sent(),
		sent({ label: "other", signatureLabel: "other" }),
		sent({ headers: { ...pieces.headers, "x-agent-id": "agent-2" } }),
	]) {
		expectRefusal(await ask(context, again), 401, "Unauthorized");
	}
	expect(await context.resort.dump()).toBe(before);
	const parameters = withParameter("nonce", 'nonce="nonce-2"');
	const other = await ask(context, sent({ parameters }));
	expect(other.body.error).toBe("Already checked in");
});
