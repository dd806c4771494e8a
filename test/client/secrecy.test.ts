import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeStored } from "../../src/client/key-file.ts";
import { makeCertificate } from "../support/certificate.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { testWith } from "../support/tools.ts";
import { clientHouse, fakeResort, quietResort, shareOf, useClientProcess, wrappings } from "./client.ts";

const KEY = "ar_secret_of_the_test";

const folder = useTemporaryFolder();

describe.each(wrappings)("%s", (name, program) => {
	const context = (env: Record<string, string> = {}) => clientHouse(program, env);

	test.each(shareOf(name, [300, 302, 307, 399]))(
		"does not follow a redirect with status %i",
		async (status) => {
			await using other = quietResort();
			const location = `${other.url}/${"stolen".repeat(50)}`;
			await using resort = fakeResort(() => new Response(null, { status, headers: { location } }));
			using ada = context({ RESORT_API_URL: resort.url, RESORT_API_KEY: KEY });
			for (const line of ["overview", "watch"]) {
				await ada.fails(1, line.split(" "), `a redirect to ${location.slice(0, 200)}; redirects`);
			}
			expect(other.asked).toBeEmpty();
		},
	);

	test("ignores the proxies that environment variables name", async () => {
		await using resort = quietResort();
		await using proxy = quietResort();
		const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
		const all = [...names, ...names.map((name) => name.toLowerCase())];
		using ada = context({
			...Object.fromEntries(all.map((name) => [name, proxy.url])),
			NODE_USE_ENV_PROXY: "1",
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: KEY,
		});
		await ada.ok("overview");
		expect(proxy.asked).toBeEmpty();
		expect(resort.asked).toHaveLength(1);
	});

	test("refuses a key that a header field cannot contain, without showing the key", async () => {
		using ada = context({ RESORT_API_URL: "http://127.0.0.1:9", RESORT_API_KEY: `${KEY}\nx: y` });
		const { stdout, stderr } = await ada.fails(4, ["overview"]);
		expect(stdout + stderr).not.toContain(KEY);
	});

	testWith(
		["openssl"],
		"sends the key to an https: address only if the server has a valid certificate",
		async () => {
			const { key, cert } = await makeCertificate("localhost");
			await using server = quietResort({ key, cert });
			const codeOf = async (host: string, env: Record<string, string>) => {
				const url = `https://${host}:${server.port}`;
				using ada = context({ RESORT_API_URL: url, RESORT_API_KEY: KEY, ...env });
				return (await ada.run(["overview", "--insecure"])).exitCode;
			};
			const isOff = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
			const isTrusted = { NODE_EXTRA_CA_CERTS: folder.write(cert) };
			expect(await codeOf("localhost", {})).toBe(7);
			expect(await codeOf("localhost", isOff)).toBe(7);
			expect(server.asked).toBeEmpty();
			expect(await codeOf("localhost", isTrusted)).toBe(0);
			expect(await codeOf("127.0.0.1", isTrusted)).toBe(7);
			const keys = server.asked.map(({ headers }) => headers.authorization);
			expect(keys).toEqual([`Bearer ${KEY}`]);
		},
	);
});

describe("the client", () => {
	const client = useClientProcess();
	const context = (env: Record<string, string> = {}) => clientHouse(client, env);

	test("refuses an http: address on another machine before it looks up the host name", async () => {
		using ada = context();
		writeStored(ada.file, { apiKey: KEY, agentId: "x", apiUrl: "http://resort.invalid" });
		await ada.fails(2, ["overview"], "--insecure");
		const { stderr } = await ada.fails(7, ["overview", "--insecure"]);
		expect(stderr).not.toContain(KEY);
	});

	test("sends the stored key only to the origin that is stored with it", async () => {
		await using own = quietResort();
		await using other = quietResort();
		using ada = context();
		writeStored(ada.file, { apiKey: KEY, agentId: "x", apiUrl: own.url });
		await ada.ok("overview");
		expect(own.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
		const config = ["--config", ada.file];
		using there = context({ RESORT_API_URL: other.url });
		for (const line of ["overview", "key rotate"]) {
			await there.fails(4, [...line.split(" "), ...config], "another resort");
		}
		// The same port under another host name is another origin.
		using named = context({ RESORT_API_URL: `http://localhost:${own.port}` });
		await named.fails(4, ["overview", ...config]);
		for (const line of ["lobby", "experiences --creator-id me", "status"]) {
			await there.run([...line.split(" "), ...config]);
		}
		expect(other.asked.map(({ headers }) => headers.authorization).filter(Boolean)).toEqual([]);
		// A key from the environment is sent to the address from the environment.
		using eve = context({ RESORT_API_URL: other.url, RESORT_API_KEY: "ar_other" });
		await eve.run(["overview", ...config]);
		expect(other.asked.at(-1)?.headers.authorization).toBe("Bearer ar_other");
		expect(JSON.parse(readFileSync(ada.file, "utf8")).apiKey).toBe(KEY);
	});

	test("sends no key to operations that need none", async () => {
		await using resort = quietResort();
		using ada = context({ RESORT_API_URL: resort.url, RESORT_API_KEY: KEY });
		for (const line of ["lobby", "call getHealth"]) await ada.ok(...line.split(" "));
		expect(resort.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
	});

	test("refuses the flags `--api-key` and `--key`, without showing their values", async () => {
		using ada = context();
		for (const flag of ["--api-key", "--key"]) {
			const { stdout, stderr } = await ada.fails(2, ["login", flag, KEY]);
			expect(stdout + stderr).not.toContain(KEY);
		}
	});
});
