/**
 * Tests what `resort doctor` reports about the instance, its public address, the certificate and the backups.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { SERVICE } from "../../src/core/lib/version.ts";
import { makeCertificate } from "../support/certificate.ts";
import { type Ended, run } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { useServer } from "../support/use-resort.ts";

const folder = useTemporaryFolder();

/** A proxy at the base URL. It forwards requests to the resort, unless `answer` returns another response. */
let answer = (): Response | null => null;
const forward = async (request: Request) => {
	const response = await fetch(instance.url + new URL(request.url).pathname, { headers: request.headers });
	return answer() ?? new Response(await response.text(), { status: response.status });
};
const proxy = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: forward });
const base = `http://127.0.0.1:${proxy.port}`;
afterAll(() => proxy.stop(true));

const port = `${20_000 + Math.floor(Math.random() * 10_000)}`;
const instance = useServer(["--port", port, "--base-url", base], { cwd: folder.path });

const own = ["--port", port, "--base-url", base];
const doctor = (args: readonly string[], env = {}) => run(["doctor", ...args], { cwd: folder.path, env });

async function withProxy(response: Response): Promise<Ended> {
	answer = () => response.clone() as Response;
	try {
		return await doctor(own);
	} finally {
		answer = () => null;
	}
}

/** Runs doctor for an https address with a certificate. */
async function withCertificate(name: string, days?: number, isTrusted = false): Promise<Ended> {
	const certificate = await makeCertificate(name, days);
	await using secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: certificate, fetch: forward });
	const env = isTrusted ? { NODE_EXTRA_CA_CERTS: folder.write(certificate.cert, "trusted.pem") } : {};
	const url = `https://127.0.0.1:${secure.port}`;
	return await doctor(["--port", port, "--base-url", url, "--trusted-proxies", "127.0.0.1"], env);
}

/** Runs doctor with a program at the port of the instance that returns one response. */
async function withProgram(response: Response): Promise<Ended> {
	await using program = Bun.serve({ port: 0, fetch: () => response });
	return await doctor(["--port", `${program.port}`]);
}

/** Runs doctor with a backup of this age. */
async function withBackup(ageMs: number): Promise<Ended> {
	const place = `${folder.path}-backups`;
	mkdirSync(place);
	try {
		writeFileSync(`${place}/notes`, "");
		const file = `${place}/resort-20200101T000000Z.sqlite`;
		writeFileSync(file, "");
		const time = new Date(Date.now() - ageMs);
		utimesSync(file, time, time);
		return await doctor(own);
	} finally {
		rmSync(place, { recursive: true });
	}
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const otherVersion = () => Response.json({ service: SERVICE, version: "0.1.0" });
const badGateway = () => new Response("Bad Gateway", { status: 502 });

describe("resort doctor reports", () => {
	test.each<{ what: string; line: RegExp; make: () => Promise<Ended> }>([
		{
			what: "that no instance responds",
			line: /^fail +instance .*does not respond.*systemctl start resort.*--config/,
			make: () => doctor(["--port", "9"]),
		},
		{
			what: "another program at the port",
			line: /^fail +instance .* returned 200 instead of .*ss -ltnp/,
			make: () => withProgram(new Response("hello")),
		},
		{
			what: "an instance that is not healthy",
			line: /^fail +instance .* returned 503 Unavailable instead of /,
			make: () => withProgram(Response.json({ error: "Unavailable" }, { status: 503 })),
		},
		{
			what: "an instance of another version",
			line: /^warn +instance .* runs 0\.1\.0, this program is /,
			make: () => withProgram(otherVersion()),
		},
		{
			what: "a public address that does not respond",
			line: /^fail +public address .*\(ECONNREFUSED\): .*systemctl status nginx/,
			make: () => doctor(["--port", port, "--base-url", "http://127.0.0.1:9"]),
		},
		{
			what: "another version at the public address",
			line: /^warn +public address .* runs 0\.1\.0, this program is /,
			make: () => withProxy(otherVersion()),
		},
		{
			what: "a proxy that returns errors",
			line: /^fail +public address .*502.*nginx -t/,
			make: () => withProxy(badGateway()),
		},
		{
			what: "a redirect of the public address",
			line: /^fail +public address .* returned 301 instead of /,
			make: () => withProxy(Response.redirect(`http://127.0.0.1:${port}/api/health`, 301)),
		},
		{
			what: "an expired certificate",
			line: /^fail +certificate +for 127\.0\.0\.1, -\d+ days left, is not accepted .*certbot renew/,
			make: () => withCertificate("127.0.0.1", -1),
		},
		{
			what: "a certificate for another name",
			line: /^fail +certificate +for 127\.0\.0\.1.*is not accepted \([A-Z_]+\): .*"Name and certificate".*NODE_EXTRA_CA_CERTS/,
			make: () => withCertificate("other.test"),
		},
		{
			what: "a certificate that expires in 13 days",
			line: /^warn +certificate +for 127\.0\.0\.1, 13 days left: .*certbot renew/,
			make: () => withCertificate("127.0.0.1", 14, true),
		},
		{
			what: "that a certificate with 14 days left is good",
			line: /^ok +certificate +for 127\.0\.0\.1, 14 days left$/,
			make: () => withCertificate("127.0.0.1", 15, true),
		},
		{
			what: "that there is no backup",
			line: /^warn +backups +there is no backup in .*-backups yet\. Create one with: mkdir (\S+) && resort backup --dir \1 /,
			make: () => doctor(own),
		},
		{
			what: "that the newest backup is over two days old",
			line: /^warn +backups +the newest .*from \d{4}-.*\. Create one with: resort backup --dir /,
			make: () => withBackup(2 * DAY_MS + MINUTE_MS),
		},
	])("$what", async ({ line, make }) => {
		const { stdout, exitCode } = await make();
		expect(
			stdout.split("\n").filter((one) => line.test(one)),
			stdout,
		).toHaveLength(1);
		expect(exitCode).toBe(/^fail/m.test(stdout) ? 1 : 0);
	});

	test("only the main results and the changed settings if nothing is wrong, and everything with --all", async () => {
		const { exitCode, stdout } = await withBackup(2 * DAY_MS - MINUTE_MS);
		const ofMachine = /^warn +(free disk|open files) /;
		expect(
			stdout
				.trimEnd()
				.split("\n")
				.filter((line) => !ofMachine.test(line)),
		).toEqual([
			expect.stringMatching(/^ok +instance +http.*, \d+\.\d+\.\d+, \d+ ms$/),
			expect.stringMatching(/^ok +public address +http.*, \d+ ms$/),
			`ok    --port             ${port} (--port)`,
			`ok    --base-url         ${base} (--base-url)`,
			expect.stringMatching(/^More checks that are ok: \d+ \(--all prints them\)\.$/),
		]);
		expect(exitCode).toBe(0);
		const all = await doctor([...own, "--all"]);
		expect(all.stdout).not.toContain("More checks");
		expect(all.stdout).toMatch(/^ok +--host +127\.0\.0\.1 \(default\)$/m);
	});
});
