/** The faults of an instance and its surroundings that `resort doctor` reports. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
	chmodSync,
	mkdirSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { type Ended, run, serve } from "../support/executable.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";
import { asUser } from "../support/user.ts";

const folder = useTemporaryFolder();
const others = useTemporaryFolder();

/** A proxy whose address is the base URL; it passes requests on to the resort, with a fault. */
type Fault = "none" | "late" | "buffers" | "away" | "otherwhere";
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
			const to = fault === "otherwhere" ? elsewhere.url : target;
			const { headers, signal } = request;
			const response = await fetch(to + pathname, { headers, signal });
			const isStream = headers.get("accept") === "text/event-stream";
			const body =
				fault === "buffers" && isStream
					? await response.bytes()
					: response.body;
			const date = new Date(Date.now() - (fault === "late" ? 60_000 : 0));
			return new Response(body, {
				status: response.status,
				headers: { date: date.toUTCString() },
			});
		},
	});
const plain = proxy();
const base = `http://127.0.0.1:${plain.port}`;

const port = `${20_000 + Math.floor(Math.random() * 10_000)}`;
const instance = useServing(["--port", port, "--base-url", base], {
	cwd: folder.path,
});
const elsewhere = useServing(["--ephemeral", "--base-url", "http://x.test"], {
	cwd: others.path,
});
beforeAll(() => {
	target = instance.url;
});
afterAll(() => plain.stop(true));

const own = ["--port", port, "--base-url", base];
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

async function withCertificate(certificate: Certificate): Promise<Ended> {
	const secure = proxy(certificate);
	try {
		const url = `https://127.0.0.1:${secure.port}`;
		const proxies = ["--trusted-proxies", "127.0.0.1"];
		return await doctor(["--port", port, "--base-url", url, ...proxies]);
	} finally {
		secure.stop(true);
	}
}

/** Runs doctor beside a backup of this time. */
async function withBackup(time: Date): Promise<Ended> {
	const place = `${folder.path}-backups`;
	mkdirSync(place);
	try {
		const file = `${place}/resort-20200101T000000Z.sqlite`;
		writeFileSync(file, "");
		utimesSync(file, time, time);
		return await doctor(own);
	} finally {
		rmSync(place, { recursive: true });
	}
}

const secret = "0123456789abcdef0123456789abcdef";

/** Each fault: the line that reports it and its remedy, and how to cause it. */
const faults: [name: string, line: RegExp, make: () => Promise<Ended>][] = [
	[
		"nothing serves",
		/^fail +instance .*does not respond.*systemctl start resort/,
		() => run(["doctor", "--port", "9"], { cwd: others.path }),
	],
	[
		"a wrong port",
		/^fail +instance .*listens elsewhere.*--config/,
		() => doctor(["--port", "9"]),
	],
	[
		"another program on the port",
		/^fail +instance .*another program: set a different --port/,
		async () => {
			using other = Bun.serve({ port: 0, fetch: () => new Response("hello") });
			return await doctor(["--port", `${other.port}`]);
		},
	],
	[
		"a public address that does not answer",
		/^fail +public address .*systemctl status nginx/,
		() => doctor(["--port", port, "--base-url", "http://127.0.0.1:9"]),
	],
	[
		"a proxy that returns errors",
		/^fail +public address .*502.*nginx -t/,
		() => withProxy("away"),
	],
	[
		"a proxy that buffers streams",
		/^warn +event streams .*proxy_buffering off/,
		() => withProxy("buffers"),
	],
	[
		"an expired certificate",
		/^fail +certificate .*expired.*certbot renew/,
		async () => withCertificate(await makeCertificate("127.0.0.1", -1)),
	],
	[
		"a foreign certificate",
		/^fail +certificate +is not accepted for 127\.0\.0\.1 .*"Name and certificate".*NODE_EXTRA_CA_CERTS/,
		async () => withCertificate(await makeCertificate("other.test")),
	],
	[
		"a clock off by a minute",
		/^warn +proxy clock .* (59|60|61) s ahead .*timedatectl set-ntp true/,
		() => withProxy("late"),
	],
	[
		"no backups",
		/^warn +backups .*-backups has none: .*enable --now resort-backup\.timer/,
		() => doctor(own),
	],
	[
		"stale backups",
		/^warn +backups .*from 2020-.*enable --now resort-backup\.timer/,
		() => withBackup(new Date("2020-01-01")),
	],
	[
		"a configuration with a secret that everybody can read",
		/^warn +configuration .*identity-secret: .*chmod 640/,
		() => {
			const file = folder.file("open.toml");
			const toml = `identity-url = "https://id.test"\nidentity-secret = "${secret}"\n`;
			writeFileSync(file, toml);
			chmodSync(file, 0o644);
			return doctor(["--config", file, ...own]);
		},
	],
	[
		"a password that everybody can read",
		/^warn +configuration .*database: .*chmod 640/,
		() => {
			const file = others.file("database.toml");
			writeFileSync(file, 'database = "postgres://ada:secret@127.0.0.1:1/a"\n');
			chmodSync(file, 0o644);
			return doctor(["--port", port, "--config", file]);
		},
	],
	[
		"the base URL of another resort",
		/^fail +base URL .*reaches another resort: correct base-url/,
		() => withProxy("otherwhere"),
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
		expect(ended.stdout).not.toContain(secret);
	});

	test("nothing about a resort that is in order, in at most eight lines", async () => {
		const { exitCode, stdout } = await withBackup(new Date());
		const lines = stdout.trimEnd().split("\n");
		const ofMachine = /^warn +(free disk|open files) /;
		const mine = lines.filter((line) => !ofMachine.test(line));
		expect(mine).toEqual([
			expect.stringMatching(/^ok +instance +http.*, \d+\.\d+\.\d+, \d+ ms$/),
			expect.stringMatching(/^ok +public address +http.*, \d+ ms$/),
			expect.stringMatching(/^ok +settings +--port \d+, --base-url http/),
			expect.stringMatching(/^\d+ more checks are ok \(--all prints them\)\.$/),
		]);
		expect(lines.length).toBeLessThanOrEqual(8);
		expect(exitCode).toBe(0);
		const all = await doctor([...own, "--all"]);
		expect(all.stdout.split("\n").length).toBeGreaterThan(30);
	});
});
