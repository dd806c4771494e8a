import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable, serve } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";

const deploy = join(import.meta.dir, "../../deploy");

/** The number of backups to keep. */
const KEPT = 14;
const DATED = /^resort-\d{8}T\d{6}Z\.sqlite$/;

/** Replaces Docker: runs the container's command on this machine, with another folder for /backups. */
const DOCKER = `#!/bin/sh
[ "$1 $2 $3" = "exec resort resort" ] || exit 64
shift 3
[ "$1 $2 $3" = "backup --dir /backups" ] || exit 64
shift 3
exec "$EXECUTABLE" backup --dir "$BACKUPS" "$@" --database "$DATABASE"
`;

describe.each(["resort-backup.service", "resort-backup-container.service"])("deploy/%s", (unit) => {
	test("creates a backup at each start, and deletes the oldest", async () => {
		using folder = new TemporaryFolder();
		const place = prepare(folder.path);
		const resort = await serve(["--database", place.database, "--port=0"], { cwd: folder.path });
		const old = Array.from({ length: KEPT }, (_, day) => `resort-202501${10 + day}T000000Z.sqlite`);
		for (const name of [...old, "another.sqlite"]) place.leave(name);
		expect(await start(unit, place)).toBe(0);
		expect(await start(unit, place)).toBe(0);
		const left = readdirSync(place.backups).sort();
		const made = left.filter((name) => DATED.test(name) && !old.includes(name));
		expect(made).toHaveLength(2);
		expect(left).toEqual(["another.sqlite", ...old.slice(2), ...made]);
		await resort.stop();
	});
});

/** Prepares the folders and files that the command of a unit uses. */
function prepare(folder: string) {
	const backups = join(folder, "backups");
	const bin = join(folder, "bin");
	mkdirSync(backups);
	mkdirSync(bin);
	writeFileSync(join(bin, "docker"), DOCKER);
	chmodSync(join(bin, "docker"), 0o700);
	const database = join(folder, "resort.sqlite");
	const config = join(folder, "resort.toml");
	writeFileSync(config, `database = ${JSON.stringify(database)}\n`);
	return {
		backups,
		bin,
		database,
		config,
		leave(name: string) {
			writeFileSync(join(backups, name), "a copy");
		},
	};
}

/** Runs the command of a systemd unit. */
async function start(
	unit: string,
	{ backups, bin, database, config }: ReturnType<typeof prepare>,
): Promise<number> {
	const text = readFileSync(join(deploy, unit), "utf8");
	const [command = "", ...more] = [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, line]) =>
		(line ?? "")
			.replaceAll("/usr/local/bin/resort", executable)
			.replaceAll("/var/lib/resort-backups", backups)
			.replaceAll("/etc/resort.toml", config),
	);
	expect(more).toEqual([]);
	const child = Bun.spawn(["sh", "-c", command], {
		env: { PATH: `${bin}:${process.env.PATH}`, BACKUPS: backups, DATABASE: database, EXECUTABLE: executable },
		stdout: "ignore",
		stderr: "ignore",
	});
	return child.exited;
}
