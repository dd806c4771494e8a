import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	chownSync,
	copyFileSync,
	linkSync,
	mkdirSync,
	rmSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { $ } from "bun";
import { useFreshFolder, useTemporaryFolder } from "../support/folder.ts";
import { root } from "../support/requirements.ts";
import { asUser, isRoot, permissionsOf } from "../support/user.ts";
import { look } from "../support/visit.ts";

const SERVE = ["--port", "0"];
const READ_ONLY = /lock \S*-lock cannot be opened or written: .*lock cannot be written by this user/;

const folder = useFreshFolder();

/** The folder with the database that the first test creates. The other tests copy its files. */
const made = useTemporaryFolder();
let id = "";

/** Creates a database of a user other than root. Returns the options that run programs as that user. */
async function makeDatabase() {
	const place = { before: asUser(folder.path) };
	if (id === "") {
		id = await folder.visit("SIGTERM", place);
		await folder.run(["backup", "copy"], place);
		await $`cp -a ${folder.path}/. ${made.path}`;
	} else await $`cp -a ${made.path}/. ${folder.path}`;
	return { id, place };
}

const lock = () => folder.file("resort.sqlite-lock");

function makeLink(target: string): void {
	rmSync(lock());
	symlinkSync(folder.file(target), lock());
}

/** Creates a lock file that the user can read but not write, like one that root has created. */
function makeReadOnly(): void {
	chmodSync(lock(), 0o444);
	if (isRoot) chownSync(lock(), 0, 0);
}

test.each<[what: string, make: () => void, told: RegExp]>([
	["that is read-only", makeReadOnly, READ_ONLY],
	["that cannot be read", () => chmodSync(lock(), 0), /resort\.sqlite-lock cannot be opened/],
	["that is a link to a file", () => makeLink("letter"), /resort\.sqlite-lock cannot be opened/],
	["that is a link to a missing file", () => makeLink("nowhere"), /resort\.sqlite-lock cannot be opened/],
])("serve and restore refuse a lock file %s, and change nothing", async (_, make, told) => {
	const { id, place } = await makeDatabase();
	folder.write("", "letter");
	make();
	for (const args of [SERVE, ["restore", "copy"]]) await folder.refuse(args, told, 1, place);
	expect([...look(folder.file()).ids]).toEqual([id]);
	expect(folder.names().join()).not.toMatch(/before|nowhere/);
	expect(statSync(folder.file("letter")).size).toBe(0);
});

test("commands create files with mode 600, which belong to the owner of the folder even if root runs the command", async () => {
	const { place } = await makeDatabase();
	await folder.succeed(["backup", "second"]);
	await folder.succeed(["restore", "copy", "--database", "new"]);
	const { uid } = statSync(folder.path);
	for (const name of ["resort.sqlite", "copy", "second", "new", "new-lock"]) {
		const found = statSync(folder.file(name));
		expect([name, found.uid, found.mode & 0o777]).toEqual([name, uid, 0o600]);
	}
	const resort = await folder.serve([...SERVE, "--database", "new"], place);
	expect((await resort.stop()).exitCode).toBe(0);
});

test.each([
	["644", "600"],
	["664", "660"],
])("a database with mode %s gets a lock file with mode %s", async (mode, lockMode) => {
	const { place } = await makeDatabase();
	rmSync(lock());
	chmodSync(folder.file(), Number.parseInt(mode, 8));
	const umask = process.umask(0);
	const resort = await folder.serve(SERVE, place);
	process.umask(umask);
	expect(permissionsOf(lock())).toBe(Number.parseInt(lockMode, 8));
	expect((await resort.stop()).exitCode).toBe(0);
});

describe("a folder of another user", () => {
	const OTHER = 12_345;
	const REPLACEABLE = /^resort: others may replace.*shared,/;

	root.test("is refused if everyone can replace its files, unless root runs the command", async () => {
		const { place } = await makeDatabase();
		chownSync(folder.path, OTHER, 65_534);
		chmodSync(folder.path, 0o777);
		const before = folder.names();
		const told = /^resort: others may replace the files in folder [^\n]*\n$/;
		const fresh = [...SERVE, "--database", "new"];
		for (const args of [SERVE, fresh, ["restore", "copy"]]) await folder.refuse(args, told, 1, place);
		expect(folder.names()).toEqual(before);
		const { checks } = await folder.doctor([], place);
		expect(checks["cannot be served"]).toStartWith("warn others may");
		// Root may use any folder, because in a container the program often runs as root.
		await folder.succeed(["restore", "copy"]);
		chmodSync(folder.path, 0o1777);
		expect((await folder.doctor([], place)).checks).not.toHaveProperty("cannot be served");
		await folder.succeed(["restore", "copy"], place);
		const resort = await folder.serve(SERVE, place);
		expect((await resort.stop()).exitCode).toBe(0);
	});

	root.test(
		"is refused as the place of a backup or of a link to a database if everyone can replace its files",
		async () => {
			const { place } = await makeDatabase();
			mkdirSync(folder.file("shared"));
			chownSync(folder.file("shared"), OTHER, OTHER);
			chmodSync(folder.file("shared"), 0o777);
			copyFileSync(folder.file("copy"), folder.file("shared/copy"));
			asUser(folder.file("shared/copy"));
			symlinkSync(folder.file(), folder.file("shared/link"));
			const at = ["--database", "shared/link"];
			const commands = [
				["restore", "shared/copy"],
				["restore", "copy", ...at],
				[...SERVE, ...at],
			];
			for (const args of commands) await folder.refuse(args, REPLACEABLE, 1, place);
			const { stdout } = await folder.doctor(at, place);
			expect(stdout.match(/^warn +cannot be served .*shared,/gm)).toHaveLength(1);
		},
	);
});

test("serve and restore refuse a database with two names (hard links), whichever name is given, and doctor warns", async () => {
	const { id, place } = await makeDatabase();
	linkSync(folder.file(), folder.file("other"));
	for (const name of ["resort.sqlite", "other"]) {
		for (const args of [SERVE, ["restore", "copy"]]) {
			const reason = `${folder.file(name)} has 2 names (hard links)`;
			await folder.refuse([...args, "--database", name], reason, 1, place);
		}
	}
	const warned = await folder.doctor([], place);
	expect(warned.checks["cannot be served"]).toMatch(/^warn .*2 names/);
	expect([...look(folder.file()).ids]).toEqual([id]);
	rmSync(folder.file("other"));
	await folder.succeed(["restore", "copy"], place);
	expect((await folder.doctor([], place)).stdout).not.toContain("names");
});

test("backup copies a database that serve uses, and refuses a hard link to it", async () => {
	await using instance = await folder.serve(SERVE);
	const registered = (await instance.register()).id;
	linkSync(folder.file(), folder.file("other"));
	await folder.refuse(["backup", "short", "--database", "other"], "other has 2 names (hard links)", 1);
	await folder.succeed(["backup", "whole"]);
	expect([...look(folder.file("whole")).ids]).toEqual([registered]);
});
