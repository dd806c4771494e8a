/** Registering with the client where the resort does not take everybody. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { run, serve, temporaryFolder } from "../support/executable.ts";

test("--invite-code registers, and without a good one nobody is and no file is written", async () => {
	using folder = temporaryFolder();
	const place = { cwd: folder.path, env: { HOME: folder.path } };
	const args = ["--port", "0", "--registration", "invite"];
	const instance = await serve(args, place);
	const register = (...more: string[]) =>
		run(
			["guest", "register", "--url", instance.url, "--name", "Ada", ...more],
			place,
		);
	const missing = await register();
	expect(missing.exitCode).not.toBe(0);
	expect(missing.stderr).toContain("inviteCode is required");
	expect(missing.stderr).toContain("  flag: --invite-code\n");
	const wrong = await register("--invite-code", "wrong");
	expect(wrong.exitCode).not.toBe(0);
	expect(wrong.stderr).toContain("The invitation is not valid");
	expect(existsSync(join(folder.path, ".agent-resort.json"))).toBe(false);
	const made = await run(["admin", "invite", "--json"], place);
	const { code } = JSON.parse(made.stdout);
	const done = await register("--invite-code", code.replaceAll("-", " "));
	expect({ exitCode: done.exitCode, stderr: done.stderr }).toMatchObject({
		exitCode: 0,
	});
	await instance.stop();
});
