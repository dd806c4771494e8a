import { expect } from "bun:test";
import { join } from "node:path";
import { TemporaryFolder } from "../support/folder.ts";
import { runTool, testWith } from "../support/tools.ts";

const deploy = join(import.meta.dir, "../../deploy");

testWith(["fail2ban-client"], "fail2ban accepts deploy/fail2ban-*.conf and uses nftables", async () => {
	using folder = new TemporaryFolder();
	const { path } = folder;
	await Bun.$`cp -r /etc/fail2ban/. ${path} && rm -f ${path}/jail.d/defaults-debian.conf`;
	for (const kind of ["filter", "jail"]) {
		await Bun.$`cp ${deploy}/fail2ban-${kind}.conf ${path}/${kind}.d/resort.conf`;
	}
	const { exitCode, output } = await runTool("fail2ban-client", ["-c", path, "-d"]);
	expect(exitCode).toBe(0);
	expect(output).toContain("['add', 'resort', 'systemd']");
	expect(output).toContain("['set', 'resort', 'addaction', 'nftables']");
	expect(output).not.toContain("iptables");
});
