/** Tests of `resort doctor`: the instance, its public address, its certificate and its backups. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { version } from "../../package.json";
import { DAY_MS, MINUTE_MS } from "../../src/core/lib/clock.ts";
import { SERVICE } from "../../src/core/lib/version.ts";
import { makeCertificate } from "../support/certificate.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { useServer } from "../support/use-resort.ts";

const folder = useTemporaryFolder();

/** Returns what the proxy at the base URL responds; null to respond as the resort does. */
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
const doctor = (args: readonly string[] = own, env = {}) => folder.doctor(args, { env });

async function withProxy(response: Response) {
	answer = () => response.clone() as Response;
	return await doctor().finally(() => {
		answer = () => null;
	});
}

/** Runs doctor with an https: base URL, whose server has a certificate for `name`, valid for `days` days. */
async function withCertificate(name: string, days?: number, isTrusted = false) {
	const certificate = await makeCertificate(name, days);
	await using secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: certificate, fetch: forward });
	const env = isTrusted ? { NODE_EXTRA_CA_CERTS: folder.write(certificate.cert, "trusted.pem") } : {};
	const url = `https://127.0.0.1:${secure.port}`;
	return await doctor(["--port", port, "--base-url", url, "--trusted-proxies", "127.0.0.1"], env);
}

/** Runs doctor while another program listens at the port, and answers every request with `response`. */
async function withProgram(response: Response) {
	await using program = Bun.serve({ port: 0, fetch: () => response });
	return await doctor(["--port", `${program.port}`]);
}

/** Runs doctor while the database file of a running instance has another name. */
async function withSickInstance() {
	const sick = await folder.serve(["--port", "0", "--database", "sick.sqlite"]);
	renameSync(folder.file("sick.sqlite"), folder.file("moved"));
	const args = ["--port", new URL(sick.url).port, "--database", "sick.sqlite"];
	return await doctor(args).finally(() => sick.stop());
}

/** Calls `run` while the only backup is two days and `moreMs` milliseconds old. */
async function withBackup<T>(moreMs: number, run: () => Promise<T>): Promise<T> {
	const place = `${folder.path}-backups`;
	mkdirSync(place);
	writeFileSync(`${place}/notes`, "");
	const file = `${place}/resort-20200101T000000Z.sqlite`;
	writeFileSync(file, "");
	const time = new Date(Date.now() - 2 * DAY_MS - moreMs);
	utimesSync(file, time, time);
	return await run().finally(() => rmSync(place, { recursive: true }));
}

const otherVersion = () => Response.json({ service: SERVICE, version: "0.1.0" });
const badGateway = () => new Response("Bad Gateway", { status: 502 });
const redirect = () => Response.redirect(`http://127.0.0.1:${port}/api/health`, 301);
const nowhere = ["--port", port, "--base-url", "http://127.0.0.1:9"];

describe("resort doctor", () => {
	test.each<[what: string, check: string, make: () => ReturnType<typeof doctor>]>([
		["that no instance responds", "instance", () => doctor(["--port", "9"])],
		["another program at the port of the instance", "instance", () => withProgram(new Response("hello"))],
		["an instance that is not healthy", "instance", withSickInstance],
		["an instance of another version", "instance", () => withProgram(otherVersion())],
		["a public address that does not respond", "public address", () => doctor(nowhere)],
		[
			"an instance of another version at the public address",
			"public address",
			() => withProxy(otherVersion()),
		],
		["a proxy that returns errors", "public address", () => withProxy(badGateway())],
		["a redirect from the public address", "public address", () => withProxy(redirect())],
		["an expired certificate", "certificate", () => withCertificate("127.0.0.1", -1)],
		["a certificate for another host name", "certificate", () => withCertificate("other.test")],
		["a certificate that expires in 13 days", "certificate", () => withCertificate("127.0.0.1", 14, true)],
		[
			"that a certificate that expires in 14 days is good",
			"certificate",
			() => withCertificate("127.0.0.1", 15, true),
		],
		["that there is no backup", "backups", doctor],
		["that the newest backup is over two days old", "backups", () => withBackup(MINUTE_MS, doctor)],
	])("reports %s", async (_what, check, make) => {
		const { stdout, exitCode, checks } = await make();
		const text = checks[check]?.replaceAll(folder.path, "FOLDER").replaceAll(version, "VERSION");
		const masked = text?.replaceAll(/:\d{4,5}\b/g, ":PORT").replace(/from \d{4}-\S+Z/, "from TIME");
		// To record the reports again, add --update-snapshots.
		expect(masked).toMatchSnapshot();
		expect(exitCode).toBe(/^fail/m.test(stdout) ? 1 : 0);
	});

	test("reports everything with `--all`, and otherwise only faults, the main results and the changed settings", async () => {
		const { exitCode, stdout } = await withBackup(-MINUTE_MS, () => folder.run(["doctor", ...own]));
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
		const all = await doctor();
		expect(all.stdout).not.toContain("More checks");
		expect(all.stdout).toMatch(/^ok +--host +127\.0\.0\.1 \(default\)$/m);
		expect(all.checks.database).toStartWith("ok ");
		// The instance still accepts changes after doctor has examined its database.
		await instance.register();
	});
});
