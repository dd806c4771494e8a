import { describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { asUser, permissionsOf } from "../support/user.ts";
import { look, registerAtFullSpeed } from "../support/visit.ts";

const SERVE = ["--port", "0", "--rate-limits", "off"];

const POSTGRES = ["--database", "postgres://a@127.0.0.1/b"];

const folder = useFreshFolder();

const backup = (name: string) => folder.succeed(["backup", name]);

async function kindAndText(path: string): Promise<[number, string]> {
	const found = lstatSync(path);
	return [found.mode, found.isFile() ? await Bun.file(path).text() : ""];
}

describe("resort backup", () => {
	test("copies every write acknowledged before the copy began, even if a client writes at full speed", async () => {
		const resort = await folder.serve(SERVE);
		await using writer = registerAtFullSpeed(resort.url);
		let duringAll = 0;
		// Makes at least three copies, and goes on until a write was acknowledged during a copy.
		for (let at = 1; at <= 3 || duringAll === 0; at++) {
			const name = `copy ${at}`;
			await writer.more(300);
			const before = [...writer.acknowledged];
			const stdout = await backup(name);
			duringAll += writer.acknowledged.length - before.length;
			const bytes = Bun.file(folder.file(name)).size;
			expect(JSON.parse(stdout)).toEqual({ backup: folder.file(name), bytes });
			expect(stdout.trimEnd().split("\n")).toHaveLength(1);
			const { integrity, ids } = look(folder.file(name));
			expect(integrity).toEqual([["ok"]]);
			expect(before.filter((id) => !ids.has(id))).toEqual([]);
		}
		await writer.more(1);
		await writer.stop();
		expect((await resort.stop()).exitCode).toBe(0);
		expect(Object.keys(folder.contents()).join()).not.toContain(".tmp");
	}, 60_000);

	test("copies what is only in the write-ahead log of an instance that was killed", async () => {
		const id = await folder.visit("SIGKILL");
		await backup("copy");
		expect([...look(folder.file("copy")).ids]).toEqual([id]);
		expect(folder.contents()).not.toHaveProperty("copy-wal");
	});

	test.each(["644", "400"])("creates a file with mode 600 from a database with mode %s", async (mode) => {
		await folder.visit();
		chmodSync(folder.file(), Number.parseInt(mode, 8));
		await folder.succeed(["backup", "copy"], { before: asUser(folder.path, folder.file()) });
		expect(permissionsOf(folder.file("copy"))).toBe(0o600);
	});

	test("reports that the folder of the database or of FILE cannot be entered", async () => {
		await folder.visit();
		mkdirSync(folder.file("closed"));
		const before = asUser(...["", "resort.sqlite", "resort.sqlite-lock"].map((name) => folder.file(name)));
		chmodSync(folder.file("closed"), 0);
		for (const args of [["closed/copy"], ["copy", "--database", "closed/resort.sqlite"]]) {
			await folder.refuse(["backup", ...args], /^resort: [^\n]*closed[^\n]*\(EACCES\)\n$/, 1, { before });
		}
	});

	test.each<[what: string, make: () => unknown]>([
		["a file", () => Bun.write(folder.file("there"), "dear diary")],
		["an empty file", () => Bun.write(folder.file("there"), "")],
		["a folder", () => mkdirSync(folder.file("there"))],
		["a link to a missing file", () => symlinkSync("nowhere", folder.file("there"))],
	])("does not overwrite %s", async (_what, make) => {
		await folder.visit();
		await make();
		const before = await kindAndText(folder.file("there"));
		await folder.refuse(["backup", "there"], "already exists", 1);
		expect(await kindAndText(folder.file("there"))).toEqual(before);
		expect(await Bun.file(folder.file("nowhere")).exists()).toBe(false);
	});

	test("succeeds in only one of four concurrent runs with the same FILE, and does not change the database", async () => {
		const id = await folder.visit();
		const before = folder.contents()["resort.sqlite"];
		const ended = await Promise.all([1, 2, 3, 4].map(() => folder.run(["backup", "copy"])));
		const codes = ended.map(({ exitCode }) => exitCode).toSorted();
		expect(codes).toEqual([0, 1, 1, 1]);
		expect([...look(folder.file("copy")).ids]).toEqual([id]);
		expect(folder.contents()["resort.sqlite"]).toBe(before ?? "");
	});

	test.each<[what: string, args: string[], code: number, told: RegExp]>([
		[
			"a missing database",
			["c", "--database", "x"],
			1,
			/: x does not exist; set --database or --config as the instance has it$/m,
		],
		["a database that is a text file", ["c", "--database", "letter"], 1, /not a SQLite/],
		["a database in memory", ["c", "--database", ":memory:"], 1, /is not a file/],
		[
			"a FILE in a missing folder",
			["no/such/c"],
			1,
			/cannot copy [^.]*\.sqlite to [^.]*no.such.c: .*no such file/,
		],
		["a FILE whose name ends with white space", ["c\r"], 1, /ends with white space/],
		["a call with neither FILE nor `--dir`", [], 2, /either FILE or --dir DIR/],
		["two files", ["c", "d"], 2, /takes \[FILE\]/],
		[
			"to copy a PostgreSQL database to stdout",
			["-", ...POSTGRES],
			2,
			/pg_dump --format=custom [^-\s]*postgres:/,
		],
		["a missing folder as `--dir`", ["--dir", "none"], 1, /--dir none .*no such/],
		["FILE together with `--dir`", ["c", "--dir", "d"], 2, /either FILE or --dir DIR/],
		["`--keep` without `--dir`", ["--keep", "1"], 2, /--keep requires --dir/],
		["`--keep 0`", ["--dir", "d", "--keep", "0"], 2, /--keep "0": must be/],
		["`--keep 10001`", ["--dir", "d", "--keep", "10001"], 2, /from 1 to 10000/],
		["an empty value of `--dir`", ["--dir="], 1, /--dir {2}cannot be used/],
		[
			"to copy a PostgreSQL database with `--dir`",
			["--dir", "d", ...POSTGRES],
			2,
			/pg_dump .*--file=d\/resort-\d{8}T\d{6}Z/,
		],
	])("refuses %s, and creates and deletes nothing", async (_what, args, code, told) => {
		await folder.visit();
		folder.write("dear diary ".repeat(100), "letter");
		mkdirSync(folder.file("d"));
		folder.write("a copy", "d/resort-20250101T000000Z.sqlite");
		const before = folder.names();
		await folder.refuse(["backup", ...args], told, code);
		expect(folder.names()).toEqual(before);
		expect(folder.names("d")).toEqual(["resort-20250101T000000Z.sqlite"]);
	});
});
