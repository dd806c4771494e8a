/** Tests of `resort admin page`, and of the host's page in the executable. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { useServer } from "../../../support/use-resort.ts";
import { FORM } from "../../pages/support/visitor.ts";

const folder = useTemporaryFolder();
const instance = useServer(["--port", "0", "--admin-page", "on"], { cwd: folder.path }, ({ stderr }) => {
	expect(stderr).toContain("signed in at the host's page");
	for (const secret of secrets) expect(stderr).not.toContain(secret);
});

/** The sign-in codes and session tokens that were used. They must not be logged. */
const secrets: string[] = [];

const EXAMPLE = "resort admin page --admin-page on --port 8080 --database resort.sqlite.";

const admin = (...args: string[]) => folder.run(["admin", ...args]);

/** Runs `resort admin page` with the address of the instance. Returns the link that it prints. */
async function printLink(): Promise<string> {
	const { port } = new URL(instance.url);
	const { exitCode, stdout, stderr } = await admin("page", "--admin-page", "on", "--port", port);
	expect(exitCode).toBe(0);
	expect(stderr).toContain('"what":"page"');
	expect(stderr).toContain("The link works once, within 10 minutes. If nothing answers");
	return stdout.trim();
}

/** Sends the form on the page of a sign-in link, as the button of this page does. */
function send(link: string): Promise<Response> {
	const { origin, pathname, searchParams } = new URL(link);
	const headers = { "content-type": FORM, origin };
	const body = new URLSearchParams(searchParams);
	return fetch(origin + pathname, { method: "POST", redirect: "manual", headers, body });
}

/** Signs in with a link. Returns the `Cookie` field of the session. */
async function follow(link: string): Promise<string> {
	const { status, headers } = await send(link);
	expect(status).toBe(303);
	const [cookie = ""] = headers.get("set-cookie")?.split(";") ?? [];
	for (const text of [link, cookie]) secrets.push(text.replace(/.*=/, ""));
	return cookie;
}

const statusWith = async (cookie: string) =>
	(await fetch(`${instance.url}/admin/agents`, { headers: { cookie } })).status;

describe("`resort admin page`, while an instance runs", () => {
	test("prints a link with which a browser signs in", async () => {
		const link = await printLink();
		expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/admin\/enter\?code=[0-9a-f]{64}$/);
		expect((await fetch(link)).status).toBe(200);
		const cookie = await follow(link);
		expect(cookie).toMatch(/^resort_admin=[0-9a-f]{64}$/);
		expect(await statusWith(cookie)).toBe(200);
	});

	test("ends all sessions and unused links if `--end` is set, and each run of the command is in the history", async () => {
		const [cookie, unused] = [await follow(await printLink()), await printLink()];
		const { exitCode, stdout } = await admin("page", "--end");
		expect([exitCode, stdout]).toEqual([0, "All sessions of the host's page have ended.\n"]);
		expect(await statusWith(cookie)).toBe(401);
		expect((await send(unused)).status).toBe(401);
		const { actions } = JSON.parse((await admin("history", "--json", "--limit", "3")).stdout);
		const commands = actions.map(({ command }: { command: string }) => command);
		expect(commands).toEqual(["page --end", "page", "page"]);
	});

	test("prints JSON if `--json` is set, with a link to the base URL in the configuration file", async () => {
		folder.write('admin-page = true\nbase-url = "https://resort.example/spa"\n', "resort.toml");
		const { stdout } = await admin("page", "--json", "--config", "resort.toml");
		const { ok, link } = JSON.parse(stdout);
		expect(ok).toBe(true);
		expect(link).toStartWith("https://resort.example/spa/admin/enter?code=");
		expect((await admin("page", "--end", "--json")).stdout).toBe('{"ok":true}\n');
	});

	test("exits with 1 if its settings do not contain `--admin-page on`", async () => {
		const { exitCode, stdout, stderr } = await admin("page");
		expect([exitCode, stdout]).toEqual([1, ""]);
		expect(stderr).toStartWith("resort: the settings do not have --admin-page on. Start the instance");
		expect(stderr).toContain(EXAMPLE);
	});

	test("exits with 2 for port 0, an argument or an unknown flag", async () => {
		for (const args of [["--admin-page", "on", "--port", "0"], ["now"], ["--ends"]]) {
			expect((await admin("page", ...args)).exitCode).toBe(2);
		}
	});
});

test("`resort admin page --help` shows the settings that the link depends on, with an example", async () => {
	const { exitCode, stdout } = await admin("page", "--help");
	expect(exitCode).toBe(0);
	expect(stdout).toContain(EXAMPLE);
	for (const flag of ["admin-page", "port", "base-url", "database", "config", "end"]) {
		expect(stdout).toMatch(RegExp(`^  --${flag} `, "m"));
	}
	expect((await admin("--help")).stdout).toContain("\nCommands:\n");
});

test("`resort admin page` and `resort serve`, each with `--admin-page on`, exit with 2 for a database in memory", async () => {
	for (const args of [
		["admin", "page", "--admin-page", "on", "--database", ":memory:"],
		["serve", "--admin-page", "on", "--ephemeral"],
		["serve", "--admin-page", "on", "--database", ":memory:"],
	]) {
		const { exitCode, stderr } = await folder.run(args);
		expect(exitCode, args.join(" ")).toBe(2);
		expect(stderr).toContain("memory");
	}
});

test("the host's page returns 404 by default", async () => {
	await using other = await folder.serve(["--port", "0", "--ephemeral"]);
	for (const path of ["/admin", "/admin/enter", "/admin/agents"]) {
		for (const method of ["GET", "POST"]) expect((await other.call(method, path)).status).toBe(404);
	}
});

test("no module of the host's page is loaded without `--admin-page on`", () => {
	const src = join(import.meta.dir, "../../../../src");
	const program = `
		const { features } = await import("${src}/cli/features.ts");
		const admin = features.find(({ settings }) => settings && "admin-page" in settings);
		const loaded = async (isOn) => {
			await admin.load({ "admin-page": isOn }, { loadPersonalTables: async () => [] });
			return Object.keys(require.cache).some((file) => file.includes("/admin/page/"));
		};
		console.log(await loaded(false), await loaded(true));`;
	const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { stderr: "inherit" });
	expect(stdout.toString()).toBe("false true\n");
});
