import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { useFreshFolder } from "../support/folder.ts";
import { mounts } from "../support/requirements.ts";
import { until } from "../support/until.ts";
import { asUser, mounting } from "../support/user.ts";
import { look } from "../support/visit.ts";

const AT = ["--database", "disk/resort.sqlite"];
const SERVE = ["--port", "0", ...AT];

const folder = useFreshFolder();
beforeEach(() => {
	mkdirSync(folder.file("disk"));
});

mounts.test(
	"a database on a read-only file system can be backed up only after it and its write-ahead log were copied elsewhere",
	async () => {
		const id = await folder.visit("SIGKILL");
		rmSync(folder.file("resort.sqlite-shm"));
		const place = { before: mounting("mount --bind . disk && mount -o remount,bind,ro disk") };
		await folder.refuse(["backup", "copy", ...AT], /cannot be read.*copy it and its -wal.*EROFS/, 1, place);
		expect(existsSync(folder.file("copy"))).toBe(false);
		const { checks, stdout } = await folder.doctor(AT, place);
		expect(checks.database).toMatch(/^fail .*-wal/);
		expect(stdout).not.toContain("integrity");
		await folder.refuse(SERVE, /read-only file system \(EROFS\)\n$/, 1, place);
		await folder.succeed(["backup", "copy"]);
		expect([...look(folder.file("copy")).ids]).toEqual([id]);
	},
);

describe("resort serve on a full disk", () => {
	const FILL = "{ dd if=/dev/zero of=disk/fill bs=4096 2>dd.log || true; }";

	/** Mounts a full disk with a copy of the database and the files beside it, except those in `missing`. */
	const fullWithout = (missing: string) =>
		mounting(
			[
				"mount -t tmpfs -o size=8m none disk",
				"cp resort.sqlite resort.sqlite-[lsw]* disk",
				`rm -f ${missing}`,
				FILL,
			].join(" && "),
		);

	test.skipIf(mounts.isMissing).each([
		["without a write-ahead log", "SIGTERM", "disk/*-wal disk/*-shm", true],
		["with a write-ahead log", "SIGKILL", "", false],
		["with a write-ahead log, but without its index (-shm)", "SIGKILL", "disk/*-shm", true],
	] as const)(
		`starts with a database %s, serves reads at once, and accepts writes when space is free again${mounts.note}`,
		async (_, signal, missing, isAlone) => {
			const id = await folder.visit(signal);
			const resort = await folder.serve(SERVE, { before: fullWithout(missing) });
			const health = async () => (await fetch(`${resort.url}/api/health`)).status;
			expect(await health()).toBe(503);
			await folder.refuse(["healthcheck", "--url", resort.url], "returned 503", 1);
			await resort.send("GET", `/api/agents/${id}/status`);
			const register = async (profile: object) =>
				(await resort.call("POST", "/api/agents", { body: { name: "Ada", ...profile } })).status;
			// The bio is long: a shorter write may still fit into the space that the write-ahead log already has.
			expect(await register({ bio: "x".repeat(500) })).toBe(503);
			expect(await health()).toBe(503);
			rmSync(`/proc/${resort.pid}/root${folder.file("disk/fill")}`);
			await until(async () => (await health()) === 200);
			// The instance notices the free space only at its next check of the disk.
			await until(async () => (await register({})) === 201);
			const second = (await resort.register()).id;
			const database = `/proc/${resort.pid}/root${folder.file("disk")}`;
			// Omits the admin socket, which cannot be copied.
			const filter = (path: string) => !path.endsWith("-admin");
			cpSync(database, folder.file("after"), { recursive: true, filter });
			const { exitCode, stderr } = await resort.stop();
			expect(exitCode).toBe(0);
			expect(stderr).toMatch(/disk (is|may be) full/);
			expect(stderr.includes("no other program")).toBe(isAlone);
			const { ids, integrity } = look(folder.file("after/resort.sqlite"));
			expect([ids.has(id), ids.has(second), integrity]).toEqual([true, true, [["ok"]]]);
		},
	);

	mounts.test("exits with 1 if there is no database yet, and creates none", async () => {
		const list = ["/bin/sh", "-c", `"$0" "$@"; code=$?; ls disk; exit $code`];
		const before = [...mounting(`mount -t tmpfs -o size=64k none disk && ${FILL}`), ...list];
		const { exitCode, stdout, stderr } = await folder.run(SERVE, { before });
		expect(stderr).toMatch(/^resort: database [^\n]*full\n$/);
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "fill\nresort.sqlite-lock\n" });
	});
});

test("serve and doctor report that the user cannot enter the folder of the database, or create files in it", async () => {
	const place = { before: asUser(folder.path, folder.file("disk")) };
	for (const mode of [0o500, 0]) {
		chmodSync(folder.file("disk"), mode);
		const stderr = await folder.refuse(SERVE, /disk\/resort\.sqlite cannot be opened.*EACCES/, 1, place);
		expect(stderr).toContain("this user cannot create files in folder disk");
		const { checks, exitCode } = await folder.doctor(AT, place);
		expect(checks.database).toStartWith("fail this user cannot create files in folder disk");
		expect(exitCode).toBe(1);
	}
	chmodSync(folder.file("disk"), 0o700);
});
