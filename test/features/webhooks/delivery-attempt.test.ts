import { describe, expect, test } from "bun:test";
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import {
	attempt,
	type OutgoingRequest,
	readRetryAfter,
	requireWebhookUrl,
	type WebhookNetwork,
	type WebhookOptions,
} from "../../../src/features/webhooks/delivery-attempt.ts";
import type { Outcome } from "../../../src/features/webhooks/model.ts";

const PUBLIC = "93.184.216.34";

/** Creates a network that makes no connections, and records the requests. */
function stub(
	names: Record<string, readonly string[]> = {},
	answer: (sending: OutgoingRequest) => number | Promise<number> = () => 204,
) {
	const sent: OutgoingRequest[] = [];
	const network: WebhookNetwork = {
		async resolve(name) {
			const found = names[name];
			if (found === undefined) throw new Error("ENOTFOUND");
			return found;
		},
		async send(sending) {
			sent.push(sending);
			return { status: await answer(sending), retryAfter: null };
		},
	};
	return { network, sent };
}

const range = (text: string) => parseRange(text) as AddressRange;
const message = (url: string) => ({ url, secret: "whsec_c2VjcmV0", id: "msg_1", body: "{}" });
const going = new AbortController().signal;

/** Makes an attempt to send a message to a URL, without checking the URL as POST /api/webhooks does. */
const sendTo = (url: string, network: WebhookNetwork, options: Partial<WebhookOptions> = {}) =>
	attempt({ network, allowed: [], ...options }, message(url), going);

/** Checks a URL as POST /api/webhooks does, and makes an attempt to send a message to it. */
async function attemptAt(url: string, options: WebhookOptions): Promise<Outcome> {
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

/** URLs to which no connection may be made. test/core/lib/ip-address.test.ts tests the address ranges. */
const spaced = `
	https://127.0.0.1:8443/x https://127.1/ https://2130706433/ https://0x7f.1/ https://0177.0.0.1/ https://0/
	https://127.0.0.1./ https://%31%32%37.0.0.1/ https://①②⑦.0.0.1/ https://169.254.169.254/latest/meta-data/
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

const hostile = [
	...spaced.trim().split(/\s+/),
	"https://hooks.test\\@127.0.0.1/",
	"https://hooks.test/\r\nhost: inside.test",
	"https://ho\toks.test/",
	" https://hooks.test/",
	`https://${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}/`,
];

describe("an attempt to send a message", () => {
	test.each(hostile)("does not connect to the disallowed URL %p", async (url) => {
		const { network, sent } = stub(names);
		const outcome = await attemptAt(url, { network, allowed: [] }).catch(({ code, message }) => ({
			code,
			status: null,
			failure: message,
		}));
		expect(sent).toEqual([]);
		expect(outcome).toMatchObject({ status: null, failure: expect.any(String) });
		expect("code" in outcome ? outcome.code : "invalid").toBe("invalid");
	});

	test("has the same failure for a host name with a private address and for an unknown host name", async () => {
		const { network } = stub(names);
		const outcomes = ["inside", "unknown", "empty"].map((name) => sendTo(`https://${name}.test/`, network));
		const failures = (await Promise.all(outcomes)).map(({ failure }) => failure);
		expect(new Set(failures).size).toBe(1);
	});

	test.each([
		["https://hooks.test/a?b=c", PUBLIC, "", "/a?b=c", "hooks.test"],
		["https://Hooks.Test.:8443", PUBLIC, "8443", "/", "hooks.test:8443"],
		["https://1572395042/x", PUBLIC, "", "/x", PUBLIC],
		["https://[2606:4700::1111]/", "2606:4700::1111", "", "/", "[2606:4700::1111]"],
	])("connects to the public address of %s", async (url, address, port, path, host) => {
		const { network, sent } = stub(names);
		const outcome = await attemptAt(url, { network, allowed: [] });
		expect(outcome).toEqual({ status: 204, failure: null, retryAfterMs: 0 });
		const targets = sent.map(({ url }) => [url.port, url.pathname + url.search, url.host]);
		expect(targets).toEqual([[port, path, host]]);
		expect(sent[0]?.address).toBe(address);
	});

	test("connects to the address that was checked, even if the host name resolves to a private address later", async () => {
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

	test.each([
		[4, "ECONNREFUSED"],
		[4, "ENETUNREACH"],
		[1, "ECONNRESET"],
	])("tries %d of the 5 addresses of a host name if each attempt fails with %s", async (tried, code) => {
		const { network, sent } = stub({ "many.test": Array(5).fill(PUBLIC) }, () =>
			Promise.reject(Object.assign(new Error(), { code })),
		);
		const { failure } = await sendTo("https://many.test/", network);
		expect(failure).toBe(`no response (${code})`);
		expect(sent).toHaveLength(tried);
	});

	test("returns the response of the second address if the first one is unreachable", async () => {
		const { network } = stub({ "two.test": ["2606:4700::1111", PUBLIC] }, ({ address }) => {
			if (address !== PUBLIC) throw Object.assign(new Error(), { code: "ENETUNREACH" });
			return 200;
		});
		expect(await sendTo("https://two.test/", network)).toMatchObject({ status: 200, failure: null });
	});

	test.each([
		["connects", "the allowed address 10.1.2.3 by https", "https://10.1.2.3/"],
		["connects", "the allowed address 10.1.2.3 by http", "http://10.1.2.3/"],
		["connects", "a host name with an allowed address by http", "http://inside.test/"],
		["connects", "a host name with an allowed and a public address by https", "https://mixed.test/"],
		["connects", "the allowed address fd00::1", "https://[fd00::1]/"],
		["connects", "the allowed address 10.0.0.1 in IPv6 form", "https://[::ffff:10.0.0.1]/"],
		["does not connect", "a host name with a public address by http", "http://hooks.test/"],
		["does not connect", "a host name with an allowed and a public address by http", "http://mixed.test/"],
		["does not connect", "the public address 11.0.0.1 by http", "http://11.0.0.1/"],
		["does not connect", "the loopback address 127.0.0.1", "https://127.0.0.1/"],
	])("%s to %s (a setting allows 10.0.0.0/8 and fd00::/8)", async (verb, _, url) => {
		const status = verb === "connects" ? 204 : null;
		const { network, sent } = stub({ ...names, "mixed.test": ["10.0.0.7", PUBLIC] });
		const allowed = [range("10.0.0.0/8"), range("fd00::/8")];
		expect(await sendTo(url, network, { allowed })).toMatchObject({ status });
		expect(sent).toHaveLength(status === null ? 0 : 1);
	});

	test.each([
		[null, 200],
		[null, 299],
		["returned 199", 199],
		["returned 300", 300],
	])("has the `failure` %p after a response with the status %d", async (failure, status) => {
		const { network } = stub(names, () => status);
		expect(await sendTo("https://hooks.test/", network)).toMatchObject({ status, failure });
	});

	describe("while the host name is being resolved", () => {
		const resolve = () => new Promise<never>(() => {});
		const network = { ...stub(names).network, resolve };

		test("fails after the time limit", async () => {
			const outcome = await sendTo("https://hooks.test/", network, { attemptMs: 50 });
			expect(outcome.failure).toBe("no response in time");
		});

		test("can be aborted", async () => {
			const ending = new AbortController();
			const made = attempt({ network, allowed: [] }, message("https://hooks.test/"), ending.signal);
			ending.abort(new Error("stopped"));
			await expect(made).rejects.toThrow("stopped");
		});
	});
});

test.each([
	[null, 0],
	["5", 5_000],
	["0", 0],
	["-5", 0],
	["999999999", 86_400_000],
	["soon", 0],
	["Tue, 10 Mar 2026 12:02:00 GMT", 120_000],
	["Tue, 10 Mar 2026 11:00:00 GMT", 0],
	["Tue, 10 Mar 2027 12:00:00 GMT", 86_400_000],
	["GMT", 0],
])("readRetryAfter(%p) returns %d ms if it is 12:00 on 10 March 2026", (field, ms) => {
	expect(readRetryAfter(field, Date.UTC(2026, 2, 10, 12))).toBe(ms);
});
