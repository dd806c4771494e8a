import { describe, expect, test } from "bun:test";
import { linesOf, logOf } from "../core/server/log-of.ts";
import { resortAt } from "../support/calls.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { transcript } from "../support/wire.ts";

const folder = useTemporaryFolder();

const PROXIES = ["--trusted-proxies", "127.0.0.1,10.0.0.0/8"];
const WRONG = `sk_${"0".repeat(64)}`;

/** Makes successful calls, and a call for each kind of refusal. */
async function callAround(url: string, from: string): Promise<void> {
	const forwarded = { "x-forwarded-for": from };
	const wrong = { ...forwarded, authorization: `Bearer ${WRONG}` };
	const resort = resortAt(url);
	const gate = "/api/agents/status?ids=nobody&expect=available";
	for (const path of ["/api/lobby", gate, "/api/none", "/api/me"]) {
		await resort.call("GET", path, { headers: forwarded });
	}
	await resort.call("GET", "/api/me", { headers: wrong });
	await resort.call("POST", "/api/session", { headers: forwarded, body: { apiKey: WRONG } });
	const form = { ...forwarded, "content-type": "application/x-www-form-urlencoded" };
	await resort.call("POST", "/me/sign-in", { headers: form, raw: `apiKey=${WRONG}` });
	const foreign = { ...forwarded, origin: "https://evil.example" };
	await resort.call("POST", "/api/agents", { headers: foreign, body: { name: "Ada" } });
	const params = { name: "check_out", arguments: {} };
	await resort.call("POST", "/mcp", {
		headers: { ...wrong, accept: "application/json, text/event-stream" },
		body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
	});
}

/** Registers agents until the rate limit for an address is exceeded. */
async function registerTooOften(url: string, from: string): Promise<void> {
	for (let status = 0; status !== 429; ) {
		const headers = { "x-forwarded-for": from };
		({ status } = await resortAt(url).call("POST", "/api/agents", { headers, body: { name: "Ada" } }));
	}
}

/** Expects that the filter for fail2ban matches exactly the log lines of calls with wrong credentials. */
async function expectFailuresFound(stderr: string): Promise<void> {
	const filter = await Bun.file("deploy/fail2ban-filter.conf").text();
	const [, begin = ""] = /^_begin = (.*)$/m.exec(filter) ?? [];
	const patterns = [...filter.matchAll(/%\(_begin\)s(.*)$/gm)].map(
		([, pattern = ""]) => new RegExp(begin + pattern.replace("<ADDR>", "198\\.51\\.100\\.7")),
	);
	const found = stderr.split("\n").filter((line) => patterns.some((one) => one.test(line)));
	expect(found).toHaveLength(4);
	for (const line of found) expect(line).toMatch(/credential\W+refused/);
}

const limitedLogOf = async (flags: readonly string[], calls: (url: string) => Promise<unknown>) =>
	(await logOf(folder, ["--rate-limits", "on", ...flags], calls)).stderr;

describe("`--log-addresses on`", () => {
	test("adds the client address to the log lines of calls refused with 401, 403 or 429, and to no others", async () => {
		const from = "198.51.100.7, 10.1.2.3";
		const stderr = await limitedLogOf(["--log-addresses", "on", ...PROXIES], async (url) => {
			await callAround(url, from);
			await registerTooOften(url, from);
		});
		const address = "198.51.100.7";
		const lines = linesOf(stderr, "request").map(({ route, status, refused, credential, address }) =>
			[route, status, refused, credential, address].map((field) => field ?? "-").join(" "),
		);
		expect(lines.slice(0, 9)).toEqual([
			"/api/lobby 200 - - -",
			"/api/agents/status 409 - - -",
			"unknown 404 - - -",
			`/api/me 401 - - ${address}`,
			`/api/me 401 - refused ${address}`,
			`/api/session 401 - refused ${address}`,
			`/me/sign-in 401 - refused ${address}`,
			`/api/agents 403 - - ${address}`,
			`/mcp 200 401 refused ${address}`,
		]);
		const [last, ...before] = lines.slice(9).toReversed();
		expect(last).toBe(`/api/agents 429 - - ${address}`);
		for (const line of before) expect(line).toEndWith("-");
		const others = linesOf(stderr).filter(({ message }) => message !== "request");
		expect(JSON.stringify(others)).not.toContain(address);
		await expectFailuresFound(stderr);
	});

	test("writes a text log in which the fail2ban filter finds the addresses of calls with wrong credentials", async () => {
		const flags = ["--log-addresses=on", "--log-format=text", ...PROXIES];
		await expectFailuresFound(await limitedLogOf(flags, (url) => callAround(url, "198.51.100.7")));
	});

	test("logs the address of a client that closes its side of the connection after its request", async () => {
		const stderr = await limitedLogOf(["--log-addresses=on"], async (url) => {
			const port = Number(new URL(url).port);
			const body = JSON.stringify({ apiKey: WRONG });
			const head = `POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
			for (let at = 0; at < 20; at++) {
				await transcript(port, { parts: [head + body], end: true });
			}
			await fetch(`${url}/api/me`);
		});
		const refused = linesOf(stderr).filter(({ status }) => status === 401);
		expect(refused.length).toBeGreaterThan(0);
		for (const { address } of refused) expect(address).toBe("127.0.0.1");
	});
});

test("`--log-addresses off`, which is the default, logs no client address", async () => {
	const stderr = await limitedLogOf(PROXIES, (url) => callAround(url, "198.51.100.7"));
	expect(stderr).toContain('"status":401');
	expect(stderr).not.toContain("198.51.100.7");
	expect(stderr).not.toContain("refused");
});
