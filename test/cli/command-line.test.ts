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
	test("`--version` prints the version and the commit of the build", async () => {
		const isClone = existsSync(join(import.meta.dir, "../../.git"));
		const commit = isClone ? "\\+[0-9a-f]{7}(-dirty)?" : "";
		const build = new RegExp(`^${RegExp.escape(version)}${commit}\n$`);
		expect(await folder.succeed(["--version"])).toMatch(build);
	});

	test.each<[what: string, flags: string[], told: string]>([
		["`--port` without a value", ["--port"], "--port needs a value"],
		["`--port 1e3`", ["--port", "1e3"], '--port "1e3": must be'],
		["`--host` with a space", ["--host", "a b"], '--host "a b": must be'],
		["`--database` in a missing folder", ["--database", "no/such/folder/x.sqlite"], "a file in a folder"],
		["an empty `--database`", ["--database", ""], '--database ""'],
		["`--base-url` with ftp:", ["--base-url", "ftp://resort.test"], "--base-url"],
		["`--base-url` with a query", ["--base-url", "https://resort.test/?a=b"], "--base-url"],
		["`--trusted-proxies 10.0.0.0/33`", ["--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies"],
		[
			"`--max-database` without a unit",
			["--max-database", "10"],
			'--max-database "10": must be 0, or a number and a unit',
		],
		["`--max-database` without a number", ["--max-database", "GB"], '--max-database "GB": must be 0'],
		["`--max-database` with an unknown unit", ["--max-database", "1PB"], '--max-database "1PB": must be 0'],
		["`--identity-url` alone", ["--identity-url", "https://id.test"], "both or neither"],
		["`--identity-secret` alone", ["--identity-secret", SECRET], "both or neither"],
		[
			"`--registration` with `--identity-url`",
			["--registration", "invite", ...PROVIDER],
			"--registration cannot be combined with --identity-url",
		],
		["`--seed` without `--ephemeral`", ["--seed", "0"], "--ephemeral"],
		["`--seed` with a database file", ["--seed", "1", "--ephemeral", "--database", "x.sqlite"], ":memory:"],
		["a negative `--seed`", ["--ephemeral", "--seed", "-1"], '--seed "-1": must be a whole number'],
		["`--seed` above the maximum", ["--ephemeral", "--seed", "4294967296"], "from 0 to 4294967295"],
		["`--now` without `--ephemeral`", ["--now", "2026-03-10T12:00:00Z"], "--now requires --ephemeral"],
		["`--frozen` without `--ephemeral`", ["--frozen"], "--frozen requires --ephemeral"],
		["`--now soon`", ["--ephemeral", "--now", "soon"], "must be a UTC time"],
		["a `--now` time before 1970", ["--ephemeral", "--now", "1969-12-31T23:59:59Z"], "must be a UTC time"],
		[
			"a `--now` time after 9990-01-01T00:00:00Z",
			["--ephemeral", "--now", "9990-01-01T00:00:01Z"],
			"from 1970-01-01T00:00:00Z to 9990-01-01T00:00:00Z",
		],
		["`--exit-with-parent` alone", ["--exit-with-parent"], "--exit-with-parent requires --ephemeral"],
		["`--fixtures` without `--ephemeral`", ["--fixtures", "x.json"], "requires --ephemeral"],
		["an empty `--fixtures`", ["--ephemeral", "--fixtures", ""], '--fixtures "": must be a JSON file'],
		["`--fixtures` and `--database`", ["--ephemeral", "--database", "x", "--fixtures", "y.json"], ":memory:"],
		["`--test-controls` without `--ephemeral`", ["--test-controls"], "--test-controls requires"],
		["`--test-controls` with a database file", [...CONTROLS, "--database", "x"], "--test-controls requires"],
		["test controls with `--host 0.0.0.0`", [...CONTROLS, "--host", "0.0.0.0"], "--test-controls requires"],
		["test hosts without test controls", ["--ephemeral", "--test-hosts", "a"], "--test-hosts requires"],
		["`--test-hosts *`", [...CONTROLS, "--test-hosts", "*"], "--test-hosts"],
		["`--test-hosts` with an empty name", [...CONTROLS, "--test-hosts", "a,,b"], "--test-hosts"],
		["`--test-hosts` with 21 names", [...CONTROLS, "--test-hosts", Array(21).fill("a").join()], "at most 20"],
	])("refuses %s", (_what, flags, told) => expectRefused(flags, told));

	test("refuses `--database` with a path of over 5,000 characters", () =>
		expectRefused(["--database", `${"x".repeat(5_000)}/y`], "a file in a folder"));

	function expectRefused(args: readonly string[], told: string): void {
		const fault = thrownBy(() => configuration.read(parseCommandLine(args, "serve", serve).flags, {}));
		expect(fault).toBeInstanceOf(StartError);
		expect(fault).toMatchObject({ exitCode: 2 });
		const { withHint } = fault as StartError;
		expect(withHint).toContain(told);
		expect(withHint).not.toContain("\n");
	}

	test.each<[what: string, args: string[], told: string]>([
		["the unknown command `frobnicate`", ["frobnicate"], '"frobnicate"'],
		["a missing `--fixtures` file", ["--ephemeral", "--fixtures", "x"], "x: cannot be read: no such file"],
		["`healthcheck` with a password in `--url`", ["healthcheck", "--url", "http://a:pw@localhost"], "--url"],
		["`healthcheck --wait -1`", ["healthcheck", "--wait", "-1"], '--wait "-1": must be a whole number'],
		["`--wait` over an hour", ["healthcheck", "--wait", "3601"], '--wait "3601": must be a whole number'],
		["`example` without FILE", ["example"], "example takes FILE"],
		["an unknown example", ["example", "constructor"], 'example "constructor": must be resort.service'],
		["`test` without a command after `--`", ["test", "--"], "needs a command after --"],
		[
			"`test` without `--`",
			["test", "true"],
			'"true" must be after --, where the command begins; see resort test --help',
		],
		[
			"`test` with a word before `--`",
			["test", "--frozen", "yes", "--", "true"],
			'"yes" must be after --, where the command begins',
		],
		[
			"`test` with `--frozen` after `--`",
			["test", "--", "--frozen", "true"],
			"--frozen must be before --: resort test [FLAGS] -- COMMAND",
		],
		["an unknown flag `--x`", ["restore", "f", "--x"], "unknown flag --x; see resort restore --help"],
	])("exits with 2 for %s", async (_what, args, told) => {
		await folder.refuse(args, told, 2);
	});

	test.each(["RESORT_PORT", "PORT"])(
		"names the environment variable `%s` in the error if its value is invalid",
		async (name) => {
			await folder.refuse([], `resort: ${name} "x": must be `, 2, { env: { [name]: "x" } });
		},
	);

	test.each<[line: string, told: string | RegExp]>([
		["--base-url https://u:hunter2@resort.test", /\(hidden\)@resort\.test.*credentials/],
		["--base-url https://u:hun/ter2@resort.test", /\(hidden\)@resort\.test.*credentials/],
		["--base-url https://u:hun@ter2@resort.test", /\(hidden\)@resort\.test.*credentials/],
		["--identity-url ftp://u:hunter2@id.test", /\(hidden\)@id\.test.*credentials/],
		["--port 1 hunter2", "unexpected argument after --port: only flags are allowed;"],
		["doctor hunter2 --port 1", "unexpected argument: only flags are allowed;"],
		["--identity-secret hunter2-hunter2", "--identity-secret: must be"],
	])("refuses `%s`, and does not print what may be a secret", async (line, told) => {
		const stderr = await folder.refuse(line.split(" "), told, 2);
		expect(stderr).not.toMatch(/hun|ter2/);
	});
});
