import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { executable, serve, temporaryFolder } from "../support/executable.ts";
import { runTool } from "../support/tools.ts";

const deploy = join(import.meta.dir, "../../deploy");

/** Days after which a back-up goes. */
const KEPT_DAYS = 14;
const DAY_SECONDS = 86_400;
const DATED = /^resort-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sqlite$/;

/** Stands for Docker: runs the program of the container here, where /backups is another folder. */
const DOCKER = `#!/bin/sh
[ "$1 $2 $3" = "exec resort resort" ] || exit 64
shift 3
command=$1 file=$BACKUPS/\${2#/backups/}
exec "$EXECUTABLE" "$command" "$file" --database "$DATABASE"
`;

describe.each(["resort-backup.service", "resort-backup-container.service"])(
	"deploy/%s",
	(unit) => {
		test("makes a back-up each time, and removes old ones", async () => {
			using folder = temporaryFolder();
			const place = prepare(folder.path);
			const resort = await serve(["--database", place.database, "--port=0"], {
				cwd: folder.path,
			});
			place.leave("resort-old.sqlite", KEPT_DAYS + 2);
			place.leave("resort-newer.sqlite", KEPT_DAYS - 1);
			place.leave("another.sqlite", KEPT_DAYS + 2);
			expect(await start(unit, place)).toBe(0);
			await nextSecond();
			expect(await start(unit, place)).toBe(0);
			const left = readdirSync(place.backups).sort();
			const dated = left.filter((name) => DATED.test(name));
			expect(dated).toHaveLength(2);
			expect(left).toEqual(
				["another.sqlite", "resort-newer.sqlite", ...dated].sort(),
			);
			for (const name of dated) {
				const { output, exitCode } = await runTool(executable, [
					...["doctor", "--database", join(place.backups, name)],
				]);
				expect(output).toMatch(/^ok +database/m);
				expect(exitCode).toBe(0);
			}
			await resort.stop();
		});

		test("removes nothing when it cannot make one", async () => {
			using folder = temporaryFolder();
			const place = prepare(folder.path);
			place.leave("resort-old.sqlite", KEPT_DAYS + 2);
			expect(await start(unit, place)).toBe(1);
			expect(readdirSync(place.backups)).toEqual(["resort-old.sqlite"]);
		});
	},
);

/** Where the commands of a unit work when a test runs them. */
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
		...{ backups, bin, database, config },
		leave(name: string, ageDays: number) {
			const path = join(backups, name);
			writeFileSync(path, "");
			const then = Date.now() / 1000 - ageDays * DAY_SECONDS;
			utimesSync(path, then, then);
		},
	};
}

/** Runs the commands of a unit as systemd does: one after the other, until one fails. */
async function start(
	unit: string,
	{ backups, bin, database, config }: ReturnType<typeof prepare>,
): Promise<number> {
	const text = readFileSync(join(deploy, unit), "utf8");
	const commands = [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, line]) =>
		(line ?? "")
			.replaceAll("%%", "%")
			.replaceAll("$$", "$")
			.replaceAll("/usr/local/bin/resort", executable)
			.replaceAll("/var/lib/resort-backups", backups)
			.replaceAll("/etc/resort.toml", config),
	);
	expect(commands).toHaveLength(2);
	const child = Bun.spawn(["sh", "-c", commands.join(" && ")], {
		env: {
			PATH: `${bin}:${process.env.PATH}`,
			...{ BACKUPS: backups, DATABASE: database, EXECUTABLE: executable },
		},
		stdout: "ignore",
		stderr: "ignore",
	});
	return child.exited;
}

/** Waits until the clock shows another second, as names of back-ups do. */
async function nextSecond(): Promise<void> {
	await Bun.sleep(1001 - (Date.now() % 1000));
}
