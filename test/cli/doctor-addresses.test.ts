/**
 * Tests what `resort doctor` reports about the instance, its public address, the certificate and the backups.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { SERVICE } from "../../src/core/lib/version.ts";
import { makeCertificate } from "../support/certificate.ts";
import type { Ended } from "../support/executable.ts";
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
const doctor = (args: readonly string[], env = {}) => folder.run(["doctor", ...args], { env });

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
	test.each<[what: string, make: () => Promise<Ended>, line: RegExp]>([
		[
			"that no instance responds",
			() => doctor(["--port", "9"]),
			/^fail +instance .*does not respond.*systemctl start resort.*--config/,
		],
		[
			"another program at the port",
			() => withProgram(new Response("hello")),
			/^fail +instance .* returned 200 instead of .*ss -ltnp/,
		],
		[
			"an instance that is not healthy",
			() => withProgram(Response.json({ error: "Unavailable" }, { status: 503 })),
			/^fail +instance .* returned 503 Unavailable instead of /,
		],
		[
			"an instance of another version",
			() => withProgram(otherVersion()),
			/^warn +instance .* runs 0\.1\.0, this program is /,
		],
		[
			"a public address that does not respond",
			() => doctor(["--port", port, "--base-url", "http://127.0.0.1:9"]),
			/^fail +public address .*\(ECONNREFUSED\): .*systemctl status nginx/,
		],
		[
			"another version at the public address",
			() => withProxy(otherVersion()),
			/^warn +public address .* runs 0\.1\.0, this program is /,
		],
		["a proxy that returns errors", () => withProxy(badGateway()), /^fail +public address .*502.*nginx -t/],
		[
			"a redirect of the public address",
			() => withProxy(Response.redirect(`http://127.0.0.1:${port}/api/health`, 301)),
			/^fail +public address .* returned 301 instead of /,
		],
		[
			"an expired certificate",
			() => withCertificate("127.0.0.1", -1),
			/^fail +certificate +for 127\.0\.0\.1, -\d+ days left, is not accepted .*certbot renew/,
		],
		[
			"a certificate for another name",
			() => withCertificate("other.test"),
			/^fail +certificate +for 127\.0\.0\.1.*is not accepted \([A-Z_]+\): .*"Name and certificate".*NODE_EXTRA_CA_CERTS/,
		],
		[
			"a certificate that expires in 13 days",
			() => withCertificate("127.0.0.1", 14, true),
			/^warn +certificate +for 127\.0\.0\.1, 13 days left: .*certbot renew/,
		],
		[
			"that a certificate with 14 days left is good",
			() => withCertificate("127.0.0.1", 15, true),
			/^ok +certificate +for 127\.0\.0\.1, 14 days left$/,
		],
		[
			"that there is no backup",
			() => doctor(own),
			/^warn +backups +there is no backup in .*-backups yet\. Create one with: mkdir (\S+) && resort backup --dir \1 /,
		],
		[
			"that the newest backup is over two days old",
			() => withBackup(2 * DAY_MS + MINUTE_MS),
			/^warn +backups +the newest .*from \d{4}-.*\. Create one with: resort backup --dir /,
		],
	])("%s", async (_what, make, line) => {
		const { stdout, exitCode } = await make();
		const found = stdout.split("\n").filter((one) => line.test(one));
		expect(found, stdout).toHaveLength(1);
		expect(exitCode).toBe(/^fail/m.test(stdout) ? 1 : 0);
	});

	test("only the main results and the changed settings if nothing is wrong, and everything with --all", async () => {
		const { exitCode, stdout } = await withBackup(2 * DAY_MS - MINUTE_MS);
		const ofMachine = /^warn +(free disk|open files) /;
		const lines = stdout.trimEnd().split("\n");
		expect(lines.filter((line) => !ofMachine.test(line))).toEqual([
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
