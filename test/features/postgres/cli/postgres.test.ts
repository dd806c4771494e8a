import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";

import { useTemporaryFolder } from "../../../support/folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

const DATABASE = "postgres://ada:hunter2@db.test/resort";
const AUTHORITIES =
	["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"].find((path) =>
		existsSync(path),
	) ?? "system";

/** Runs a command with the address of the database in a file. */
function resort(...args: string[]) {
	folder.write(`${DATABASE}\n`, "address");
	const env = { RESORT_DATABASE_FILE: "address", PGPASSWORD: "hunter2" };
	return folder.run(args, { env });
}

describe("with a PostgreSQL database", () => {
	test.each(["backup", "restore"])("resort %s prints the command to use instead", async (command) => {
		const { stderr, ...ended } = await resort(command, "my copy");
		expect(ended).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toContain(`=${AUTHORITIES}'`);
		// To record it again, add --update-snapshots.
		expect(stderr.replace(AUTHORITIES, "FILE")).toMatchSnapshot();
		const byFlag = await folder.run([command, "my copy", "--database", "postgres://db.test"], {
			env: { PGUSER: "eve" },
		});
		expect(byFlag.exitCode).toBe(2);
		expect(byFlag.stderr).toContain("postgres://eve@db.test:5432/eve?sslmode=");
		expect(readdirSync(cwd)).toEqual(["address"]);
	});

	test.each(["serve", "backup f", "restore f", "doctor"])(
		"resort %s refuses an invalid URL and does not show its password",
		async (command) => {
			const args = [...command.split(" "), "--database", `${DATABASE}?sslmode=on`];
			const told = /^resort: --database "\(hidden\)": unknown sslmode "on"; must be one of /;
			await folder.refuse(args, told, 2);
		},
	);

	test("resort doctor shows the URL without the password", async () => {
		const { exitCode, stdout, stderr } = await resort("doctor", "--all");
		expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
		expect(stdout).toMatch(
			/--database +postgres:\/\/ada@db\.test:5432\/resort\?sslmode=verify-full \(RESORT_DATABASE_FILE\)/,
		);
		expect(stdout).not.toContain("hunter2");
	});
});
