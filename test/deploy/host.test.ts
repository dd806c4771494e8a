/** Tests the files in deploy/ with programs that read them. */
import { describe, expect } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { executable } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testWith } from "../support/tools.ts";

const folder = join(import.meta.dir, "../../deploy");

/** The highest allowed result of `systemd-analyze security`, in tenths: 20 is 2.0 on its scale of 0 to 10. */
const MAX_EXPOSURE = 20;

describe("the systemd units in deploy/", () => {
	testWith(["systemd-analyze"], "cause no warnings in systemd-analyze", async () => {
		using copies = new TemporaryFolder();
		const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name));
		expect(units).toHaveLength(5);
		for (const name of units) {
			const text = await Bun.file(join(folder, name)).text();
			const path = join(copies.path, name);
			// The resort is not installed on the machine that runs the tests, so the units start the built
			// executable.
			await Bun.write(path, text.replaceAll("/usr/local/bin/resort", executable));
		}
		const { exitCode, output } = await runTool("systemd-analyze", [
			"verify",
			"--man=no",
			"--recursive-errors=no",
			...units.map((name) => join(copies.path, name)),
		]);
		expect(output).toBe("");
		expect(exitCode).toBe(0);
	});

	testWith(["systemd-analyze"], `have an exposure level of at most ${MAX_EXPOSURE / 10} of 10`, async () => {
		for (const name of ["resort.service", "resort-backup.service", "resort-backup-postgres.service"]) {
			const flags = ["security", "--offline=yes", `--threshold=${MAX_EXPOSURE}`, join(folder, name)];
			const { exitCode, output } = await runTool("systemd-analyze", flags);
			expect(output).toContain(`Overall exposure level for ${name}`);
			expect(exitCode).toBe(0);
		}
	});
});

testWith(["fail2ban-client"], "fail2ban accepts deploy/fail2ban-*.conf and uses nftables", async () => {
	using copy = new TemporaryFolder();
	const { path } = copy;
	await Bun.$`cp -r /etc/fail2ban/. ${path} && rm -f ${path}/jail.d/defaults-debian.conf`;
	for (const kind of ["filter", "jail"]) {
		await Bun.$`cp ${folder}/fail2ban-${kind}.conf ${path}/${kind}.d/resort.conf`;
	}
	const { exitCode, output } = await runTool("fail2ban-client", ["-c", path, "-d"]);
	expect(exitCode).toBe(0);
	expect(output).toContain("['add', 'resort', 'systemd']");
	expect(output).toContain("['set', 'resort', 'addaction', 'nftables']");
	expect(output).not.toContain("iptables");
});
