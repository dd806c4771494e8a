/** What `resort admin` refuses, and how it finds the instance or the database. */
import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/executable.ts";
import { register } from "../support/guests.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const instance = useServing(["--port", "0"], { cwd: folder.path });
let id: string;

beforeAll(async () => {
	id = await register(instance.url);
});

const admin = (
	args: readonly string[],
	place: Partial<Parameters<typeof run>[1]> = {},
) => run(["admin", ...args], { cwd: folder.path, ...place });

test.each([
	[[], "admin needs a command"],
	[["agnets"], "agents\\?"],
	[["--search", "x", "agents"], "admin needs a command before its flags"],
	[["--config", "x"], "admin needs a command"],
	[["stats", "--port", "1"], "unknown flag --port"],
	[["hide", "postcards", "x"], "hide takes postcard.experience.review and ID"],
	[["hide", "postcard"], "ID"],
	[["agent"], "ID"],
	[["agent", "a", "b"], "takes ID"],
	[["agents", "--serach", "x"], "--search"],
	[["agents", "--relaxing=no"], "--relaxing takes no value"],
	[["invite", "--uses", "0"], "--uses"],
	[["invite", "--uses", "many"], '--uses "many": must be a whole number'],
	[["invite", "--uses", "100001"], "from 1 to 100000"],
	[["invite", "--days", "3651"], "from 1 to 3650"],
	[["invite", "--days", "-1"], "--days"],
	[["constructor"], "unknown command"],
])("%j is a wrong command line", async (args, expected) => {
	const { exitCode, stdout, stderr } = await admin(args);
	expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
	expect(stderr).toMatch(new RegExp(expected));
	const json = await admin([...args, "--json"]);
	expect(json.exitCode).toBe(2);
	expect(JSON.parse(json.stderr)).toHaveProperty("error");
});

test.each([
	[["agent", "nobody"], "Agent not found"],
	[["check-out", "ID"], "not checked in"],
	[["reactivate", "ID"], "The agent is active already"],
	[["rename", "ID", "x"], "name"],
	[["rename", "ID", "x".repeat(101)], "name"],
	[["hide", "postcard", "nothing"], "Postcard not found"],
	[["show", "review", "nothing"], "Review not found"],
	[["revoke-invite", "nothing"], "No such invitation"],
	[["agent", "../stats"], "Agent not found"],
])("%j is refused", async (args, expected) => {
	const filled = args.map((word) => (word === "ID" ? id : word));
	const { exitCode, stdout, stderr } = await admin(filled);
	expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
	expect(stderr).toMatch(/^resort: [^\n]*\n$/);
	expect(stderr).toContain(expected);
	const json = await admin([...filled, "--json"]);
	expect(json.exitCode).toBe(1);
	expect(JSON.parse(json.stderr).error).toContain(expected);
});

describe("the instance is found", () => {
	const file = join(folder.path, "resort.sqlite");
	const found = async (
		args: readonly string[],
		place: Partial<Parameters<typeof run>[1]> = {},
	) => {
		const { exitCode, stdout, stderr } = await admin(
			["agents", "--json", ...args],
			place,
		);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(JSON.parse(stdout).agents).toHaveLength(1);
	};

	test("by a flag, a variable and a configuration file, whatever the folder", async () => {
		await found(["--database", file], { cwd: "/" });
		await found([], { cwd: "/", env: { RESORT_DATABASE: file } });
		const config = join(folder.path, "resort.toml");
		writeFileSync(config, `database = ${JSON.stringify(file)}\n`);
		await found(["--config", config], { cwd: "/" });
	});

	test("by flags that stand before the command, too", async () => {
		const before = ["--database", file, "--json"];
		const { exitCode, stdout, stderr } = await admin(
			[...before, "agents", "--search", id],
			{ cwd: "/" },
		);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		expect(JSON.parse(stdout).agents).toHaveLength(1);
	});

	test("not where there is no database", async () => {
		const { exitCode, stderr } = await admin(["agents", "--database", "other"]);
		expect(exitCode).toBe(1);
		expect(stderr).toContain(
			"database other is not there; --database or --config says where it is",
		);
	});

	test("not in memory", async () => {
		const memory = ["--database", ":memory:"];
		const { exitCode, stdout, stderr } = await admin(["stats", ...memory]);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toContain("test controls");
	});
});

test("HTTP callers of the public port never reach what the host can do", async () => {
	for (const path of [
		"/agents",
		`/agents/${id}/export`,
		"/hidden",
		"/invites",
	]) {
		for (const method of ["GET", "POST"]) {
			const { status } = await fetch(instance.url + path, { method });
			expect({ path, status: status >= 400 }).toEqual({ path, status: true });
		}
	}
	for (const verb of ["erase", "check-out", "reset-key", "reactivate"]) {
		const { status } = await fetch(`${instance.url}/agents/${id}/${verb}`, {
			method: "POST",
		});
		expect(status).toBe(404);
	}
});

describe("the socket of earlier versions", () => {
	const reason = "resort admin opens the database itself and needs no socket";

	test.each([
		["a flag", ["serve", "--admin-socket", "off"], {}],
		["a flag of no command", ["--admin-socket=/run/resort"], {}],
		["a flag of admin", ["admin", "stats", "--admin-socket", "off"], {}],
		["a variable", ["serve"], { RESORT_ADMIN_SOCKET: "off" }],
		["a variable of admin", ["admin", "stats"], { RESORT_ADMIN_SOCKET: "/s" }],
		["a file", ["serve", "--config", "old.toml"], {}],
		["a file of admin", ["admin", "stats", "--config", "old.toml"], {}],
	])("is refused with the reason, set by %s", async (_, args, env) => {
		writeFileSync(join(folder.path, "old.toml"), 'admin-socket = "off"\n');
		const { exitCode, stdout, stderr } = await run(args, {
			cwd: folder.path,
			env: env as Record<string, string>,
		});
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toContain(reason);
		expect(stderr.trimEnd()).not.toContain("\n");
	});
});
