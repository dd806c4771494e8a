import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { configuration } from "../../src/cli/features.ts";
import { serve } from "../../src/cli/serve-command.ts";
import { parseCommandLine } from "../../src/core/lib/command-line.ts";
import { StartError } from "../../src/core/lib/start-error.ts";
import { useTemporaryFolder } from "../support/folder.ts";
import { thrownBy } from "../support/values.ts";

const folder = useTemporaryFolder();

const CONTROLS = ["--ephemeral", "--test-controls"];
const SECRET = "0123456789abcdef0123456789abcdef";
const PROVIDER = ["--identity-url", "https://id.test", "--identity-secret", SECRET];

describe("resort", () => {
	test("--version prints the version and the commit of the build", async () => {
		const isClone = existsSync(join(import.meta.dir, "../../.git"));
		const commit = isClone ? "\\+[0-9a-f]{7}(-dirty)?" : "";
		const build = new RegExp(`^${RegExp.escape(version)}${commit}\n$`);
		expect(await folder.succeed(["--version"])).toMatch(build);
	});

	test.each<[flags: string[], told: string]>([
		[["--port"], "--port needs a value"],
		[["--port", "1e3"], '--port "1e3": must be'],
		[["--host", "a b"], '--host "a b": must be'],
		[["--database", "no/such/folder/x.sqlite"], "a file in a folder"],
		[["--database", ""], '--database ""'],
		[["--base-url", "ftp://resort.test"], "--base-url"],
		[["--base-url", "https://resort.test/?a=b"], "--base-url"],
		[["--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies"],
		[["--max-database", "10"], '--max-database "10": must be 0, or a number and a unit'],
		[["--max-database", "GB"], '--max-database "GB": must be 0'],
		[["--max-database", "1PB"], '--max-database "1PB": must be 0'],
		[["--identity-url", "https://id.test"], "both or neither"],
		[["--identity-secret", SECRET], "both or neither"],
		[["--registration", "invite", ...PROVIDER], "--registration cannot be combined with --identity-url"],
		[["--seed", "0"], "--ephemeral"],
		[["--seed", "1", "--ephemeral", "--database", "x.sqlite"], ":memory:"],
		[["--ephemeral", "--seed", "-1"], '--seed "-1": must be a whole number'],
		[["--ephemeral", "--seed", "4294967296"], "from 0 to 4294967295"],
		[["--now", "2026-03-10T12:00:00Z"], "--now requires --ephemeral"],
		[["--frozen"], "--frozen requires --ephemeral"],
		[["--ephemeral", "--now", "soon"], "must be a UTC time"],
		[["--ephemeral", "--now", "1969-12-31T23:59:59Z"], "must be a UTC time"],
		[["--ephemeral", "--now", "9999-12-31T00:00:01Z"], "from 1970-01-01T00:00:00Z to 9999-12-31T00:00:00Z"],
		[["--exit-with-parent"], "--exit-with-parent requires --ephemeral"],
		[["--fixtures", "x.json"], "requires --ephemeral"],
		[["--ephemeral", "--fixtures", ""], '--fixtures "": must be a JSON file'],
		[["--ephemeral", "--database", "x", "--fixtures", "y.json"], ":memory:"],
		[["--test-controls"], "--test-controls requires"],
		[[...CONTROLS, "--database", "x"], "--test-controls requires"],
		[[...CONTROLS, "--host", "0.0.0.0"], "--test-controls requires"],
		[["--ephemeral", "--test-hosts", "a"], "--test-hosts requires"],
		[[...CONTROLS, "--test-hosts", "*"], "--test-hosts"],
		[[...CONTROLS, "--test-hosts", "a,,b"], "--test-hosts"],
		[[...CONTROLS, "--test-hosts", Array(21).fill("a").join()], "at most 20"],
	])("refuses the flags %p with an error that contains %p", expectRefused);

	test("refuses --database with a path of over 5,000 characters", () =>
		expectRefused(["--database", `${"x".repeat(5_000)}/y`], "a file in a folder"));

	function expectRefused(args: readonly string[], told: string): void {
		const fault = thrownBy(() => configuration.read(parseCommandLine(args, "serve", serve).flags, {}));
		expect(fault).toBeInstanceOf(StartError);
		expect(fault).toMatchObject({ exitCode: 2 });
		const { withHint } = fault as StartError;
		expect(withHint).toContain(told);
		expect(withHint).not.toContain("\n");
	}

	test.each<[args: string[], told: string]>([
		[["frobnicate"], '"frobnicate"'],
		[["--ephemeral", "--fixtures", "x"], "x: cannot be read: no such file"],
		[["healthcheck", "--url", "http://a:pw@localhost"], "--url"],
		[["healthcheck", "--wait", "-1"], '--wait "-1": must be a whole number'],
		[["healthcheck", "--wait", "3601"], '--wait "3601": must be a whole number'],
		[["example"], "example takes FILE"],
		[["example", "constructor"], 'example "constructor": must be resort.service'],
		[["test", "--"], "needs a command after --"],
		[["test", "true"], '"true" must be after --, where the command begins; see resort test --help'],
		[["test", "--frozen", "yes", "--", "true"], '"yes" must be after --, where the command begins'],
		[["test", "--", "--frozen", "true"], "--frozen must be before --: resort test [FLAGS] -- COMMAND"],
		[["restore", "f", "--x"], "unknown flag --x; see resort restore --help"],
	])("refuses the arguments %p with exit code 2 and an error that contains %p", async (args, told) => {
		await folder.refuse(args, told, 2);
	});

	test.each(["RESORT_PORT", "PORT"])(
		"names the environment variable %s in the error about its invalid value",
		async (name) => {
			await folder.refuse([], `resort: ${name} "x": must be `, 2, { env: { [name]: "x" } });
		},
	);

	test.each([
		[["--base-url", "https://u:hunter2@resort.test"], /\(hidden\)@resort\.test.*credentials/],
		[["--base-url", "https://u:hun/ter2@resort.test"], /\(hidden\)@resort\.test.*credentials/],
		[["--base-url", "https://u:hun@ter2@resort.test"], /\(hidden\)@resort\.test.*credentials/],
		[["--identity-url", "ftp://u:hunter2@id.test"], /\(hidden\)@id\.test.*credentials/],
		[["--port", "1", "hunter2"], "unexpected argument after --port: only flags are allowed;"],
		[["doctor", "hunter2", "--port", "1"], "unexpected argument: only flags are allowed;"],
		[["--identity-secret", "hunter2-hunter2"], "--identity-secret: must be"],
	])("refuses the arguments %p with an error that hides whatever may be a secret", async (args, told) => {
		const stderr = await folder.refuse(args, told, 2);
		expect(stderr).not.toMatch(/hun|ter2/);
	});
});
