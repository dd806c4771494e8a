import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../support/documents.ts";
import { executable, requireProgram } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";

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

const folder = useFreshFolder();

describe.each(["resort-backup.service", "resort-backup-container.service"])("deploy/%s", (unit) => {
	test(`creates a backup at each start, and keeps only the newest ${KEPT}`, async () => {
		const [backups, bin] = [folder.file("backups"), folder.file("bin")];
		for (const path of [backups, bin]) mkdirSync(path);
		writeFileSync(join(bin, "docker"), DOCKER, { mode: 0o700 });
		const database = folder.file();
		const config = folder.write(`database = ${JSON.stringify(database)}\n`, "resort.toml");
		const lines = [...readDocument(`deploy/${unit}`).matchAll(/^ExecStart=(.*)$/gm)];
		expect(lines).toHaveLength(1);
		const command = (lines[0]?.[1] ?? "")
			.replaceAll("/usr/local/bin/resort", executable)
			.replaceAll("/var/lib/resort-backups", backups)
			.replaceAll("/etc/resort.toml", config);
		const env = {
			PATH: `${bin}:${process.env.PATH}`,
			BACKUPS: backups,
			DATABASE: database,
			EXECUTABLE: executable,
		};
		const resort = await folder.serve(["--port=0"]);
		const old = Array.from({ length: KEPT }, (_, day) => `resort-202501${10 + day}T000000Z.sqlite`);
		for (const name of [...old, "another.sqlite"]) writeFileSync(join(backups, name), "a copy");
		for (const _ of [1, 2]) await requireProgram(["sh", "-c", command], { env });
		const left = folder.names("backups");
		const made = left.filter((name) => DATED.test(name) && !old.includes(name));
		expect(made).toHaveLength(2);
		expect(left).toEqual(["another.sqlite", ...old.slice(2), ...made]);
		await resort.stop();
	});
});
