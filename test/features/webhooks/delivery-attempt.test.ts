import { describe, expect, test } from "bun:test";
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import {
	type AttemptOptions,
	attempt,
	readRetryAfter,
	requireWebhookUrl,
} from "../../../src/features/webhooks/delivery-attempt.ts";
import type { Outcome } from "../../../src/features/webhooks/model.ts";
import type { OutgoingRequest, WebhookNetwork } from "../../../src/features/webhooks/webhook-network.ts";

const PUBLIC = "93.184.216.34";

/** A network that connects to nothing and notes where it was to connect to. */
function stub(
	names: Record<string, readonly string[]> = {},
	answer: (sending: OutgoingRequest) => number | Promise<number> = () => 204,
	retryAfter: string | null = null,
) {
	const sent: OutgoingRequest[] = [];
	const asked: string[] = [];
	const network: WebhookNetwork = {
		async resolve(name) {
			asked.push(name);
			const found = names[name];
			if (found === undefined) throw new Error("ENOTFOUND");
			return found;
		},
		async send(sending) {
			sent.push(sending);
			return { status: await answer(sending), retryAfter };
		},
	};
	return { network, sent, asked };
}

const range = (text: string) => parseRange(text) as AddressRange;
const message = (url: string) => ({
	url,
	secret: "whsec_c2VjcmV0",
	id: "msg_1",
	body: "{}",
});
const going = new AbortController().signal;

/** Sends a message over a network to a URL that was accepted before. */
const sendTo = (url: string, network: WebhookNetwork, options: Partial<AttemptOptions> = {}) =>
	attempt({ network, allowed: [], ...options }, message(url), going);

/** Accepts a URL as the creation of a webhook does, and sends a message there. */
async function attemptAt(url: string, options: AttemptOptions): Promise<Outcome> {
	const accepted = requireWebhookUrl(url, options.allowed);
	return attempt(options, message(accepted), going);
}

const names = {
	"hooks.test": [PUBLIC],
	localhost: ["127.0.0.1", "::1"],
	"inside.test": ["10.0.0.7"],
	"metadata.test": ["169.254.169.254"],
	"both.test": [PUBLIC, "127.0.0.1"],
	"both-turned.test": ["::1", "2606:4700::1111"],
	"mapped.test": ["::ffff:127.0.0.1"],
	"link.test": ["fe80::1%eth0"],
	"empty.test": [],
	"strange.test": ["not an address"],
	"xn--bcher-kva.test": ["192.168.0.1"],
};

/**
 * URLs that must never be connected to, between blanks; the ranges of addresses are in
 * test/core/lib/public-address.test.ts.
 */
const spaced = `
	https://127.0.0.1:8443/x https://127.1/ https://2130706433/ https://0x7f000001/ https://0x7f.1/
	https://017700000001/ https://0177.0.0.1/ https://0/ https://127.0.0.1./ https://4294967295/
	https://%31%32%37.0.0.1/ https://①②⑦.0.0.1/ https://127。0。0。1/ https://169.254.169.254/latest/meta-data/
	https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::ffff:127.0.0.1]/ https://[64:ff9b::127.0.0.1]/
	https://localhost/ https://LOCALHOST/ https://localhost./ https://inside.test/ https://metadata.test/
	https://both.test/ https://both-turned.test/ https://mapped.test/ https://link.test/ https://empty.test/
	https://strange.test/ https://unknown.test/ https://bücher.test/ https://BÜCHER.test./
	http://hooks.test/ http://93.184.216.34/ http://127.0.0.1/ https://user@hooks.test/
	https://:pass@hooks.test/ https://hooks.test@127.0.0.1/ https://hooks.test:0/ https://hooks.test/#a
	ftp://hooks.test/ file:///etc/passwd gopher://127.0.0.1/ javascript:alert(1) unix:///run/docker.sock
	//hooks.test/ https:hooks.test https:///hooks.test https:// https://a..test/ https://.test/
	https://hooks.test../ https://[::1/ https://1.2.3.4.5/ https://hooks.test:99999/
`;

/** The same with those that hold other characters, or a name that is too long. */
const hostile = [
	...spaced.trim().split(/\s+/),
	"https://hooks.test\\@127.0.0.1/",
	"https://hooks.test/\r\nhost: inside.test",
	"https://ho\toks.test/",
	" https://hooks.test/",
	`https://${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}/`,
];

describe("never connects to", () => {
	test.each(hostile)("%p", async (url) => {
		const { network, sent } = stub(names);
		const outcome = await attemptAt(url, { network, allowed: [] }).catch(({ code, message }) => ({
			code,
			status: null,
			failure: message,
		}));
		expect(sent).toEqual([]);
		expect(outcome).toMatchObject({ status: null });
		expect(outcome.failure).toBeString();
		expect("code" in outcome ? outcome.code : "invalid").toBe("invalid");
	});

	test("the failure of a name is the same whether it resolves to a private address or not at all", async () => {
		const { network } = stub(names);
		const told = ["inside", "unknown", "empty"].map((name) => sendTo(`https://${name}.test/`, network));
		const failures = (await Promise.all(told)).map(({ failure }) => failure);
		expect(new Set(failures).size).toBe(1);
	});
});

describe("connects to", () => {
	test.each([
		["https://hooks.test/a?b=c", "hooks.test", 443, "/a?b=c", "hooks.test"],
		["https://Hooks.Test.:8443", "hooks.test", 8443, "/", "hooks.test:8443"],
		["https://93.184.216.34/x", PUBLIC, 443, "/x", PUBLIC],
		["https://1572395042/x", PUBLIC, 443, "/x", PUBLIC],
		["https://[2606:4700::1111]/", "2606:4700::1111", 443, "/", "[2606:4700::1111]"],
	])("%s", async (url, host, port, path, authority) => {
		const { network, sent } = stub(names);
		const outcome = await attemptAt(url, { network, allowed: [] });
		expect(outcome).toEqual({ status: 204, failure: null, retryAfterMs: 0 });
		expect(sent).toHaveLength(1);
		const { url: target } = sent[0] as OutgoingRequest;
		expect({
			port: Number(target.port || 443),
			path: target.pathname + target.search,
			authority: target.host,
		}).toEqual({ port, path, authority });
		expect(sent[0]?.address).toBe(host === "hooks.test" ? PUBLIC : host);
	});

	test("the address that was judged, also when the name leads inside a moment later", async () => {
		const answers = [[PUBLIC], ["127.0.0.1"]];
		const { network, sent } = stub();
		const turning = { ...network, resolve: async () => answers.shift() ?? [] };
		await sendTo("https://rebinding.test/", turning);
		expect(sent.map(({ address }) => address)).toEqual([PUBLIC]);
		expect(answers).toHaveLength(1);
		const second = await sendTo("https://rebinding.test/", turning);
		expect(second.failure).toBe("the host has no public address");
		expect(sent).toHaveLength(1);
	});

	test("another address of the name when nobody is at the first", async () => {
		const { network, sent } = stub({ "two.test": ["2606:4700::1111", PUBLIC] }, ({ address }) => {
			if (address !== PUBLIC) throw Object.assign(new Error(), { code: "ENETUNREACH" });
			return 200;
		});
		const { status } = await sendTo("https://two.test/", network);
		expect(status).toBe(200);
		expect(sent).toHaveLength(2);
	});

	test.each([
		["ECONNREFUSED", 4],
		["ECONNRESET", 1],
	])("after %s, %d of the addresses of a name in all", async (code, tried) => {
		const { network, sent } = stub({ "many.test": [PUBLIC, PUBLIC, PUBLIC, PUBLIC, PUBLIC] }, () =>
			Promise.reject(Object.assign(new Error(), { code })),
		);
		const { failure } = await sendTo("https://many.test/", network);
		expect(failure).toBe(`no response (${code})`);
		expect(sent).toHaveLength(tried);
	});

	test("what is allowed, also by http: and beside public addresses", async () => {
		const { network, sent } = stub({
			...names,
			"mixed.test": ["10.0.0.7", PUBLIC],
		});
		const allowed = [range("10.0.0.0/8"), range("fd00::/8")];
		for (const [url, status] of [
			["https://10.1.2.3/", 204],
			["http://10.1.2.3/", 204],
			["http://inside.test/", 204],
			["https://mixed.test/", 204],
			["https://[fd00::1]/", 204],
			["https://[::ffff:10.0.0.1]/", 204],
			["http://hooks.test/", null],
			["http://mixed.test/", null],
			["http://11.0.0.1/", null],
			["https://127.0.0.1/", null],
		] as const) {
			const outcome = await sendTo(url, network, { allowed });
			expect(outcome, url).toMatchObject({ status });
		}
		expect(sent).toHaveLength(6);
	});
});

describe("an attempt", () => {
	const url = "https://hooks.test/";

	test.each([
		[200, null],
		[299, null],
		[199, "returned 199"],
		[300, "returned 300"],
		[301, "returned 301"],
		[410, "returned 410"],
		[500, "returned 500"],
	])("that is answered %i", async (status, failure) => {
		const { network } = stub(names, () => status);
		expect(await sendTo(url, network)).toMatchObject({ status, failure });
	});

	test("waits so long for the name and no longer", async () => {
		const never = new Promise<never>(() => {});
		const network = { ...stub(names).network, resolve: () => never };
		const outcome = await sendTo(url, network, { attemptMs: 50 });
		expect(outcome.failure).toBe("no response in time");
	});

	test("ends when it is aborted", async () => {
		const network = {
			...stub(names).network,
			resolve: () => new Promise<never>(() => {}),
		};
		const ending = new AbortController();
		const made = attempt({ network, allowed: [] }, message(url), ending.signal);
		ending.abort(new Error("stopped"));
		expect(made).rejects.toThrow("stopped");
	});

	test.each([
		[null, 0],
		["120", 120_000],
		["0", 0],
		["-5", 0],
		["999999999", 86_400_000],
		["soon", 0],
		["Tue, 10 Mar 2026 12:02:00 GMT", 120_000],
		["Tue, 10 Mar 2026 11:00:00 GMT", 0],
		["Tue, 10 Mar 2027 12:00:00 GMT", 86_400_000],
		["GMT", 0],
	])("reads Retry-After: %p", (field, ms) => {
		expect(readRetryAfter(field, Date.UTC(2026, 2, 10, 12))).toBe(ms);
	});
});
