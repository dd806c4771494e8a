import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { run, serve } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { mounts } from "../support/requirements.ts";
import { until } from "../support/until.ts";
import { asUser, mounting } from "../support/user.ts";
import { look } from "../support/visit.ts";

const folder = useFreshFolder();
beforeEach(() => {
	mkdirSync(folder.file("disk"));
});

describe("a read-only file system", () => {
	const readOnly = mounting("mount --bind . disk && mount -o remount,bind,ro disk");

	test.skipIf(mounts.isMissing)(
		`can be backed up only after copying the database and its log${mounts.note}`,
		async () => {
			const id = await folder.visit("SIGKILL");
			rmSync(folder.file("resort.sqlite-shm"));
			const place = { cwd: folder.path, before: readOnly };
			const at = ["--database", "disk/resort.sqlite"];
			const copied = await run(["backup", "copy", ...at], place);
			expect(copied.stderr).toMatch(/cannot be read.*copy it and its -wal.*EROFS/);
			expect(copied.exitCode).toBe(1);
			expect(existsSync(folder.file("copy"))).toBe(false);
			const checked = await run(["doctor", ...at], place);
			expect(checked.stdout).toMatch(/^fail +database .*-wal/m);
			expect(checked.stdout).not.toContain("integrity");
			const started = await run(["--port", "0", ...at], place);
			expect(started.stderr).toMatch(/^resort: [^\n]*read-only file system \(EROFS\)\n$/);
			expect(started.exitCode).toBe(1);
			expect((await folder.run(["backup", "copy"])).stderr).toBe("");
			expect([...look(folder.file("copy")).ids]).toEqual([id]);
		},
	);
});

describe("a full disk", () => {
	const SERVE = ["--port", "0", "--database", "disk/resort.sqlite"];
	/** Mounts a full disk that contains a database whose instance was stopped or killed. */
	const full = (signal: string, isIndexed = true) =>
		mounting(
			[
				"mount -t tmpfs -o size=8m none disk",
				"cp resort.sqlite resort.sqlite-[lsw]* disk",
				...(signal === "SIGTERM" ? ["rm -f disk/*-wal disk/*-shm"] : []),
				...(isIndexed ? [] : ["rm -f disk/*-shm"]),
				"{ dd if=/dev/zero of=disk/fill bs=4096 2>dd.log || true; }",
			].join(" && "),
		);

	test.skipIf(mounts.isMissing).each(["SIGTERM", "SIGKILL"] as const)(
		`does not prevent a start after %s: reads succeed, and writes succeed once there is space${mounts.note}`,
		async (signal) => {
			const id = await folder.visit(signal);
			const place = { cwd: folder.path, before: full(signal) };
			const resort = await serve(SERVE, place);
			const health = async () => (await fetch(`${resort.url}/api/health`)).status;
			expect(await health()).toBe(503);
			const check = ["healthcheck", "--url", resort.url];
			await folder.refuse(check, "returned 503", 1);
			const seen = await fetch(`${resort.url}/api/agents/${id}/status`);
			expect(seen.status).toBe(200);
			// An existing write-ahead log may still have space for one or two pages.
			const long = { name: "Ada", bio: "x".repeat(500) };
			const filled = await resort.call("POST", "/api/agents", { body: long });
			expect(filled.status).toBe(503);
			expect(await health()).toBe(503);
			rmSync(`/proc/${resort.pid}/root${folder.file("disk/fill")}`);
			await until(async () => (await health()) === 200);
			// The space is detected at the next check of the disk.
			const isRoom = async () =>
				(await resort.call("POST", "/api/agents", { body: { name: "Bo" } })).status === 201;
			await until(isRoom);
			const second = (await resort.register()).id;
			const database = `/proc/${resort.pid}/root${folder.file("disk")}`;
			cpSync(database, folder.file("after"), {
				recursive: true,
				// A socket cannot be copied.
				filter: (path) => !path.endsWith("-admin"),
			});
			const { exitCode, stderr } = await resort.stop();
			expect(exitCode).toBe(0);
			expect(stderr).toMatch(/disk (is|may be) full/);
			expect(stderr.includes("no other program")).toBe(signal === "SIGTERM");
			const { ids, integrity } = look(folder.file("after/resort.sqlite"));
			expect(ids).toContain(id);
			expect(ids).toContain(second);
			expect(integrity).toEqual([["ok"]]);
		},
	);

	test.skipIf(mounts.isMissing)(
		`does not prevent a start after a crash without the index of the log${mounts.note}`,
		async () => {
			const id = await folder.visit("SIGKILL");
			const before = full("SIGKILL", false);
			const resort = await serve(SERVE, { cwd: folder.path, before });
			const seen = await fetch(`${resort.url}/api/agents/${id}/status`);
			expect(seen.status).toBe(200);
			const { exitCode, stderr } = await resort.stop();
			expect(exitCode).toBe(0);
			expect(stderr).toContain("the disk is full");
		},
	);

	test.skipIf(mounts.isMissing)(
		`prevents the first start, which creates no database${mounts.note}`,
		async () => {
			const place = {
				cwd: folder.path,
				before: mounting(
					"mount -t tmpfs -o size=64k none disk && { dd if=/dev/zero of=disk/fill bs=4096 2>dd.log || true; }",
				),
			};
			const script = `"$0" "$@"; code=$?; ls disk; exit $code`;
			const { exitCode, stdout, stderr } = await run(SERVE, {
				...place,
				before: [...place.before, "/bin/sh", "-c", script],
			});
			expect(stderr).toMatch(/^resort: database [^\n]*full\n$/);
			expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "fill\nresort.sqlite-lock\n" });
		},
	);
});

test("serve and doctor name a folder that cannot be written or entered", async () => {
	const before = asUser(folder.path, folder.file("disk"));
	const place = { cwd: folder.path, before };
	const at = ["--database", "disk/resort.sqlite"];
	for (const mode of [0o500, 0]) {
		chmodSync(folder.file("disk"), mode);
		const stderr = await folder.refuse(
			["--port", "0", ...at],
			/disk\/resort\.sqlite cannot be opened.*EACCES/,
			1,
			place,
		);
		expect(stderr).toContain("this user cannot create files in folder disk");
		const checked = await run(["doctor", ...at], place);
		expect(checked.stdout).toMatch(/^fail +database +this user cannot create files in folder disk/m);
		expect(checked.exitCode).toBe(1);
	}
	chmodSync(folder.file("disk"), 0o700);
});
