/** Tests what `resort doctor` reports about a SQLite database. */
import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	chownSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { change, makeDatabaseOf } from "../core/store/older.ts";
import { TemporaryFolder, useFreshFolder } from "../support/folder.ts";
import { mounts, root } from "../support/requirements.ts";
import { asUser, mounting } from "../support/user.ts";

const SERVE = ["--port", "0"];

const folder = useFreshFolder();

/** Creates a database with one agent, and changes it with SQL. */
async function makeDatabase(...statements: string[]): Promise<void> {
	await folder.visit();
	change(folder.file(), ...statements, "PRAGMA wal_checkpoint(TRUNCATE)");
}

async function damage(): Promise<void> {
	await makeDatabase();
	const bytes = await Bun.file(folder.file()).bytes();
	bytes.fill(0xa5, 4096);
	for (const suffix of ["-wal", "-shm"]) rmSync(folder.file() + suffix, { force: true });
	writeFileSync(folder.file(), bytes);
}

const makeLink = () => symlinkSync(join("unmounted", "there"), folder.file());

async function moveWithoutLog(): Promise<void> {
	await folder.visit("SIGKILL");
	renameSync(folder.file(), folder.file("moved"));
}

/** Returns the content of the database file. If there is no regular file, returns the names in its folder. */
function contentOrNames(): string | string[] {
	const isFile = lstatSync(folder.file(), { throwIfNoEntry: false })?.isFile() ?? false;
	return isFile ? readFileSync(folder.file()).toBase64() : folder.names();
}

/** Returns a function that creates a database and runs a statement while foreign keys are not checked. */
const unchecked = (statement: string) => () => makeDatabase("PRAGMA foreign_keys = OFF", statement);

describe("the check of the database", () => {
	test.each<[what: string, make: () => unknown]>([
		["a database without faults", makeDatabase],
		["a broken reference", unchecked("INSERT INTO api_keys VALUES ('k', 'nobody', x'00', 1)")],
		["a newer schema", unchecked(`PRAGMA user_version = ${migrations.length + 1}`)],
		["an unexpected trigger", unchecked("CREATE TRIGGER spy AFTER INSERT ON postcards BEGIN SELECT 1; END")],
		["a damaged file", damage],
		["a missing database", () => {}],
		["an empty file", () => folder.write("", "resort.sqlite")],
		["a text file", () => folder.write("dear diary ".repeat(100), "resort.sqlite")],
		["a folder instead of the file", () => mkdirSync(folder.file())],
		["a link to a missing file", makeLink],
		["an older schema", () => makeDatabaseOf(migrations.length - 1, folder.file())],
		["a write-ahead log whose database is missing", moveWithoutLog],
	])("reports %s, and changes nothing", async (_what, make) => {
		await make();
		const before = contentOrNames();
		const { exitCode, stderr, checks } = await folder.doctor();
		const finding = checks.database?.replaceAll(folder.path, "FOLDER").replace(/\d+ KiB/, "SIZE");
		// To record the reports again, add --update-snapshots.
		expect(finding?.replaceAll(/(schema|is|uses|to) \d+/g, "$1 N")).toMatchSnapshot();
		expect(stderr).toBe("");
		expect(exitCode).toBe(finding?.startsWith("fail") ? 1 : 0);
		expect(checks).not.toHaveProperty("cannot be served");
		expect(contentOrNames()).toEqual(before);
	});

	test("ignores an empty write-ahead log whose database is missing", async () => {
		folder.write("", "resort.sqlite-wal");
		expect((await folder.doctor()).checks.database).toMatch(/^warn .*serve creates it/);
	});

	test("warns if the database is larger than `--max-database`", async () => {
		await folder.visit();
		const size = async (max: string) => (await folder.doctor(["--max-database", max])).checks.database;
		expect(await size("1GiB")).toMatch(/^ok .*, \d+ KiB of 1 GiB$/);
		expect(await size("1KB")).toMatch(/^warn .*: the resort is full/);
	});
});

test("serve refuses a database that is a link to a missing file", async () => {
	makeLink();
	expect((await folder.run(SERVE)).exitCode).toBe(1);
});

test.skipIf(root.isMissing).each(["", "-wal", "-shm", "-lock", "folder"])(
	`doctor and serve report that the user cannot write a file or folder (%p), with commands that mend it${root.note}`,
	async (suffix) => {
		using link = new TemporaryFolder();
		symlinkSync(folder.file(), link.file("link"));
		const place = { before: asUser(folder.path, link.path) };
		await folder.visit(suffix === "folder" ? "SIGTERM" : "SIGKILL", place);
		const closed = suffix === "folder" ? folder.path : folder.file() + suffix;
		chmodSync(closed, suffix === "folder" ? 0o555 : 0o444);
		chownSync(closed, 0, 0);
		const mend = `sudo chown -R resort: ${folder.path} && sudo chmod -R u+rwX ${folder.path}`;
		const reason = `permission denied (EACCES); run this as the user that runs the instance, or ${mend}`;
		await folder.refuse(SERVE, `${reason}\n`, 1, place);
		if (suffix === "")
			await folder.refuse([...SERVE, "--database", link.file("link")], `${reason}\n`, 1, place);
		const { checks } = await folder.doctor([], place);
		expect(checks["cannot be served"]).toEndWith(reason);
		await folder.shell(mend.replaceAll("sudo ", "").replace("resort:", "65534:65534"));
		await (await folder.serve(SERVE, place)).stop();
	},
);

test("doctor reports that the user cannot create files in the folder of the database", async () => {
	mkdirSync(folder.file("closed"));
	await (await folder.serve([...SERVE, "--database", "closed/resort.sqlite"])).stop();
	const before = asUser(folder.path, folder.file("closed"), folder.file("closed/resort.sqlite"));
	chmodSync(folder.file("closed"), 0o500);
	const { checks } = await folder.doctor(["--database", "closed/resort.sqlite"], { before });
	chmodSync(folder.file("closed"), 0o700);
	expect(checks["cannot be served"]).toMatch(/^warn .*cannot create files .*chown -R resort: /);
});

test.skipIf(mounts.isMissing).each([
	{ sizeMiB: 15, level: "fail", exitCode: 1 },
	{ sizeMiB: 16, level: "ok", exitCode: 0 },
])(
	`doctor reports the free space on an empty disk of $sizeMiB MiB with the level "$level"${mounts.note}`,
	async ({ sizeMiB, level, exitCode }) => {
		mkdirSync(folder.file("disk"));
		const before = mounting(`mount -t tmpfs -o size=${sizeMiB}m none disk`);
		const ended = await folder.doctor(["--database", "disk/new.sqlite"], { before });
		expect(ended.checks["free disk"]).toMatch(RegExp(`^${level} [\\d.]+ MiB, the reserve is \\d+ KiB`));
		expect(ended.exitCode).toBe(exitCode);
	},
);
