import { beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { mounts } from "../support/requirements.ts";
import { mounting } from "../support/user.ts";
import { look } from "../support/visit.ts";

const folder = useFreshFolder();

beforeEach(() => mkdirSync(folder.file("other folder")));

const SERVE = ["serve", "--port", "0"];
const AT = ["--database", "other folder/r.sqlite"];

/** Mounts one file on another one, as `docker run -v ./resort.sqlite:/data/resort.sqlite` does. */
function place(file: string, on: string) {
	return { before: mounting(`mount --bind '${file}' 'other folder/${on}'`) };
}

describe("a mount point", () => {
	mounts.test("is refused by every command as the file of a database", async () => {
		const id = await folder.visit();
		await folder.succeed(["backup", "copy"]);
		folder.write("", "other folder/r.sqlite");
		const before = folder.names();
		const mounted = place("resort.sqlite", "r.sqlite");
		const reason = `${folder.file("other folder/r.sqlite")} is a mount of its own, without the files next to it: mount the folder, not the file`;
		const more = ["admin agents", "backup new", "backup -", "restore copy"].map((line) => line.split(" "));
		for (const args of [SERVE, ...more]) await folder.refuse([...args, ...AT], reason, 1, mounted);
		const copy = ["copy", "other folder/r.sqlite", "postgres://resort@127.0.0.1:9/resort"];
		await folder.refuse(copy, reason, 1, mounted);
		const { checks } = await folder.doctor(AT, mounted);
		expect(checks["cannot be served"]).toBe(`warn ${reason}`);
		expect([...look(folder.file()).ids]).toEqual([id]);
		expect(folder.names()).toEqual(before);
	});

	test.skipIf(mounts.isMissing).each(["-wal", "-lock"])(
		`is refused as the \`%s\` file of a database${mounts.note}`,
		async (suffix) => {
			await folder.visit("SIGKILL");
			for (const name of ["", "-wal", "-shm", "-lock"]) {
				copyFileSync(folder.file(`resort.sqlite${name}`), folder.file(`other folder/r.sqlite${name}`));
			}
			const mounted = place(`resort.sqlite${suffix}`, `r.sqlite${suffix}`);
			const reason = `r.sqlite${suffix} is a mount of its own`;
			await folder.refuse([...SERVE, ...AT], reason, 1, mounted);
			await folder.refuse(["backup", "new", ...AT], reason, 1, mounted);
		},
	);

	mounts.test(
		"is accepted as the file of a backup to restore, and as the folder of a database to back up",
		async () => {
			const id = await folder.visit();
			await folder.succeed(["backup", "copy"]);
			folder.write("", "other folder/copy");
			await folder.succeed(["restore", "other folder/copy"], place("copy", "copy"));
			const before = mounting("mount --bind . 'other folder'");
			const at = ["--database", "other folder/resort.sqlite"];
			await folder.succeed(["backup", "again", ...at], { before });
			expect([...look(folder.file("again")).ids]).toEqual([id]);
		},
	);
});
