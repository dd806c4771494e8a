/** The faults of an instance and its surroundings that `resort doctor` reports. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { SERVICE } from "../../src/core/lib/version.ts";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { type Ended, run, serve } from "../support/executable.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";
import { asUser } from "../support/user.ts";

const folder = useTemporaryFolder();
const others = useTemporaryFolder();

/** A proxy whose address is the base URL; it passes requests on to the resort, with a fault. */
type Fault = "none" | "away" | "foreign" | "older";
let fault: Fault = "none";
let target = "";
const proxy = (certificate?: Certificate) =>
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		...(certificate && { tls: certificate }),
		async fetch(request) {
			const { pathname } = new URL(request.url);
			if (fault === "away") return new Response("Bad Gateway", { status: 502 });
			if (fault === "foreign") return new Response("hello");
			if (fault === "older") return Response.json({ service: SERVICE, version: "0.1.0" });
			const response = await fetch(target + pathname, { headers: request.headers });
			for (const name of ["content-encoding", "content-length"]) {
				response.headers.delete(name);
			}
			return new Response(response.body, response);
		},
	});
const plain = proxy();
const base = `http://127.0.0.1:${plain.port}`;

const port = `${20_000 + Math.floor(Math.random() * 10_000)}`;
const instance = useServing(["--port", port, "--base-url", base], {
	cwd: folder.path,
});
beforeAll(() => {
	target = instance.url;
});
afterAll(() => plain.stop(true));

// The host is the default one, so the settings that are printed do not contain it.
const own = ["--host", "127.0.0.1", "--port", port, "--base-url", base];
const doctor = (args: readonly string[], place = {}) =>
	run(["doctor", ...args], { cwd: folder.path, ...place });

async function withProxy(kind: Fault): Promise<Ended> {
	fault = kind;
	try {
		return await doctor(own);
	} finally {
		fault = "none";
	}
}

async function withCertificate(certificate: Certificate, isTrusted = false): Promise<Ended> {
	const secure = proxy(certificate);
	const trusted = others.write(certificate.cert, "trusted.pem");
	const env = isTrusted ? { NODE_EXTRA_CA_CERTS: trusted } : {};
	try {
		const url = `https://127.0.0.1:${secure.port}`;
		const proxies = ["--trusted-proxies", "127.0.0.1"];
		return await doctor(["--port", port, "--base-url", url, ...proxies], {
			env,
		});
	} finally {
		secure.stop(true);
	}
}

/** Runs doctor with a program at the port of the instance that gives one response. */
async function withProgram(response: Response): Promise<Ended> {
	using program = Bun.serve({ port: 0, fetch: () => response });
	return await doctor(["--port", `${program.port}`]);
}

/** Runs doctor beside a backup of this age. */
async function withBackup(ageMs: number): Promise<Ended> {
	const place = `${folder.path}-backups`;
	mkdirSync(place);
	try {
		const file = `${place}/resort-20200101T000000Z.sqlite`;
		writeFileSync(file, "");
		writeFileSync(`${place}/notes`, "");
		const time = new Date(Date.now() - ageMs);
		utimesSync(file, time, time);
		return await doctor(own);
	} finally {
		rmSync(place, { recursive: true });
	}
}

const MINUTE_MS = 60_000;

const DAY_MS = 24 * 60 * MINUTE_MS;

/** Each fault: the line that reports it and its remedy, and how to cause it. */
const faults: [name: string, line: RegExp, make: () => Promise<Ended>][] = [
	[
		"nothing serves",
		/^fail +instance .*does not respond.*systemctl start resort/,
		() => run(["doctor", "--port", "9"], { cwd: others.path }),
	],
	["a wrong port", /^fail +instance .*or pass its settings, .*--config/, () => doctor(["--port", "9"])],
	[
		"another program on the port",
		/^fail +instance .* returned 200 instead of .*another program/,
		() => withProgram(new Response("hello")),
	],
	[
		"an instance that fails",
		/^fail +instance .* returned 503 Unavailable instead of /,
		() => withProgram(Response.json({ error: "Unavailable" }, { status: 503 })),
	],
	[
		"an instance of another version",
		/^warn +instance .* runs 0\.1\.0, this program is /,
		() => withProgram(Response.json({ service: SERVICE, version: "0.1.0" })),
	],
	[
		"a public address that does not answer",
		/^fail +public address .*\(ECONNREFUSED\): .*systemctl status nginx/,
		() => doctor(["--port", port, "--base-url", "http://127.0.0.1:9"]),
	],
	[
		"a public address of another version",
		/^warn +public address .* runs 0\.1\.0, this program is /,
		() => withProxy("older"),
	],
	["a proxy that returns errors", /^fail +public address .*502.*nginx -t/, () => withProxy("away")],
	[
		"another program at the public address",
		/^fail +public address .* returned 200 instead of /,
		() => withProxy("foreign"),
	],
	[
		"an expired certificate",
		/^fail +certificate .*expired.*certbot renew/,
		async () => withCertificate(await makeCertificate("127.0.0.1", -1)),
	],
	[
		"a foreign certificate",
		/^fail +certificate +is not accepted for 127\.0\.0\.1 \([A-Z_]+\): .*"Name and certificate".*NODE_EXTRA_CA_CERTS/,
		async () => withCertificate(await makeCertificate("other.test")),
	],
	[
		"a certificate that ends in two weeks",
		/^warn +certificate +for 127\.0\.0\.1 expires in 13 days: .*certbot renew/,
		async () => withCertificate(await makeCertificate("127.0.0.1", 14), true),
	],
	[
		"no fault in a certificate that ends a day later",
		/^ok +certificate +for 127\.0\.0\.1, 14 days left$/,
		async () => withCertificate(await makeCertificate("127.0.0.1", 15), true),
	],
	[
		"no backups",
		/^warn +backups .*-backups has none: .*enable --now resort-backup\.timer/,
		() => doctor(own),
	],
	[
		"stale backups",
		/^warn +backups .*from \d{4}-.*enable --now resort-backup\.timer/,
		() => withBackup(2 * DAY_MS + MINUTE_MS),
	],
	[
		"a folder in which the log of the database cannot be written",
		/^warn +cannot be served .*cannot create files .*chown -R resort: /,
		async () => {
			const stopped = others.file("stopped");
			mkdirSync(stopped);
			await (await serve(["--port", "0"], { cwd: stopped })).stop();
			const database = `${stopped}/resort.sqlite`;
			const before = asUser(others.path, stopped, database);
			chmodSync(stopped, 0o500);
			try {
				const args = ["doctor", "--port", "9", "--database", database];
				return await run(args, { cwd: "/", before });
			} finally {
				chmodSync(stopped, 0o700);
			}
		},
	],
];

describe("doctor finds", () => {
	test.each(faults)("%s", async (_name, line, make) => {
		const ended = await make();
		const found = ended.stdout.split("\n").filter((one) => line.test(one));
		expect({ stdout: ended.stdout, found: found.length }).toEqual({
			stdout: ended.stdout,
			found: 1,
		});
		expect(ended.exitCode).toBe(/^fail/m.test(ended.stdout) ? 1 : 0);
	});

	test("nothing about a resort that is in order, in at most eight lines", async () => {
		const { exitCode, stdout } = await withBackup(2 * DAY_MS - MINUTE_MS);
		const lines = stdout.trimEnd().split("\n");
		const ofMachine = /^warn +(free disk|open files) /;
		const mine = lines.filter((line) => !ofMachine.test(line));
		expect(mine).toEqual([
			expect.stringMatching(/^ok +instance +http.*, \d+\.\d+\.\d+, \d+ ms$/),
			expect.stringMatching(/^ok +public address +http.*, \d+ ms$/),
			expect.stringMatching(/^ok +settings +--port \d+, --base-url http/),
			expect.stringMatching(/^More checks that are ok: \d+ \(--all prints them\)\.$/),
		]);
		expect(lines.length).toBeLessThanOrEqual(8);
		expect(exitCode).toBe(0);
		const all = await doctor([...own, "--all"]);
		expect(all.stdout).not.toContain("More checks");
		expect(all.stdout.split("\n").length).toBeGreaterThan(30);
	});
});
