import { describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { serve } from "../../src/cli/serve-command.ts";
import { readConfig } from "../../src/config/config.ts";
import { parseCommandLine } from "../../src/lib/command-line.ts";
import { StartError } from "../../src/lib/start-error.ts";
import { thrownBy } from "../support/thrown-by.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();

const CONTROLS = ["--ephemeral", "--test-controls"];
const SECRET = "0123456789abcdef0123456789abcdef";

describe("resort", () => {
	test("--version prints the version and the commit of the build", async () => {
		const build = new RegExp(
			`^${RegExp.escape(version)}(\\+[0-9a-f]{7}(-dirty)?)?\n$`,
		);
		expect(await folder.succeed(["--version"])).toMatch(build);
	});

	test.each([
		[["--help"], "serve"],
		[["serve", "--help"], "--trusted-proxies"],
		[["test", "--help"], "RESORT_URL"],
		[["test", "--help", "--", "true"], "RESORT_URL"],
		[["healthcheck", "--help"], "--url"],
		[["mcp", "--help"], "RESORT_API_KEY"],
		[["backup", "--help"], "FILE"],
		[["restore", "--help"], "before-restore"],
		[["copy", "--help"], "FROM TO"],
		[["doctor", "--help"], "--database"],
		[["example", "--help"], "nginx.conf"],
	])("%p tells what there is", async (args, word) => {
		expect(await folder.succeed(args)).toContain(word);
	});

	test("describes each flag in the same column", async () => {
		const { stdout } = await folder.run(["serve", "--help"]);
		const [, flags = ""] = stdout.split("\nFlags:\n");
		const lines = flags.slice(0, flags.indexOf("\n\n")).split("\n");
		expect(lines.length).toBeGreaterThan(20);
		for (const line of lines) {
			expect(line).toMatch(/^( {2}--.{24} | {29})\S|^ {2}--\S{25,} [A-Z]+$/);
		}
	});

	const wrongSettings: [flags: string[], told: string][] = [
		[["--database", "/etc/passwd/x/y"], "a file in a folder"],
		[["--database", `${"x".repeat(5_000)}/y`], "a file in a folder"],
		[["--port"], "--port needs a value"],
		[["--port", "-1"], '--port "-1": must be a whole number from 0 to 65535'],
		[["--port", "65536"], '--port "65536": must be'],
		[["--port", "1e3"], '--port "1e3": must be'],
		[["--port", ""], '--port "": must be'],
		[["--host", "a b"], '--host "a b": must be'],
		[["--database", "no/such/folder/x.sqlite"], "a file in a folder"],
		[["--database", ""], '--database ""'],
		[["--base-url", "ftp://resort.test"], "--base-url"],
		[["--base-url", "https://resort.test/?a=b"], "--base-url"],
		[["--base-url", "https://a:b@resort.test"], "without credentials"],
		[
			["--rate-limits", "maybe"],
			'--rate-limits "maybe": must be on, off or a number',
		],
		[["--trusted-proxies", "10.0.0.0/33"], "--trusted-proxies"],
		[["--trusted-proxies", "10.0.0.1,proxy"], "--trusted-proxies"],
		[["--max-stay", "-1"], "--max-stay"],
		[["--max-stay", "87600.1"], "--max-stay"],
		...["10", "-1GB", "GB", "1PB", "0.0000001KB", "1e3MB"].map(
			(size): [string[], string] => [
				["--max-database", size],
				`--max-database "${size}": must be 0, or a number and a unit`,
			],
		),
		[["--identity-url", "https://id.test"], "both or neither"],
		[["--identity-secret", SECRET], "both or neither"],
		[["--seed", "1"], "--ephemeral"],
		[["--seed", "0"], "--ephemeral"],
		[["--seed", "1", "--ephemeral", "--database", "x.sqlite"], ":memory:"],
		[["--ephemeral", "--seed", "-1"], '--seed "-1": must be a whole number'],
		[["--ephemeral", "--seed", "4294967296"], "from 0 to 4294967295"],
		[["--ephemeral", "--seed", "1.5"], '--seed "1.5": must be'],
		[["--ephemeral", "--seed", ""], '--seed "": must be'],
		[["--now", "2026-03-10T12:00:00Z"], "--now requires --ephemeral"],
		[["--frozen"], "--frozen requires --ephemeral"],
		[["--ephemeral", "--now", "soon"], "must be a UTC time"],
		[["--ephemeral", "--now", "1969-12-31T23:59:59Z"], "must be a UTC time"],
		[["--ephemeral", "--now", "9999-12-31T00:00:01Z"], "must be a UTC time"],
		[["--exit-with-parent"], "--exit-with-parent requires --ephemeral"],
		[["--fixtures", "x.json"], "requires --ephemeral"],
		[["--ephemeral", "--fixtures", ""], '--fixtures "": must be a JSON file'],
		[["--ephemeral", "--database", "x", "--fixtures", "y.json"], ":memory:"],
		[["--test-controls"], "--test-controls requires"],
		[[...CONTROLS, "--database", "x"], "--test-controls requires"],
		[[...CONTROLS, "--host", "0.0.0.0"], "--test-controls requires"],
		[[...CONTROLS, "--host", "0.0.0.0"], "--test-hosts"],
		[["--ephemeral", "--test-hosts", "a"], "--test-hosts requires"],
		[["--test-controls", "--test-hosts", "a"], "--ephemeral"],
		[[...CONTROLS, "--test-hosts", "a:1"], "--test-hosts"],
		[[...CONTROLS, "--test-hosts", "*"], "--test-hosts"],
		[[...CONTROLS, "--test-hosts", "a,,b"], "--test-hosts"],
		[[...CONTROLS, "--test-hosts", Array(21).fill("a").join()], "at most 20"],
		[["--config", "none.toml"], '"none.toml": cannot be read: no such file'],
		[
			["--config", "."],
			'".": cannot be read: illegal operation on a directory',
		],
	];

	test.each(wrongSettings)("the settings %p are wrong", (args, told) => {
		const fault = thrownBy(() =>
			readConfig(parseCommandLine(args, "serve", serve).flags, {}),
		);
		expect(fault).toBeInstanceOf(StartError);
		expect(fault).toMatchObject({ exitCode: 2 });
		const { withHint } = fault as StartError;
		expect(withHint).toContain(told);
		expect(withHint).not.toContain("\n");
	});

	const wrongFlags: [flags: string[], told: string][] = [
		[["--port", "-1"], '--port "-1": must be a whole number from 0 to 65535'],
		[["frobnicate"], '"frobnicate"'],
		[["--frobnicate"], "--frobnicate"],
		[["--ephemeral", "--fixtures", "x"], "x: cannot be read: no such file"],
		[["serve", "frobnicate"], "unexpected argument; see resort serve --help"],
		[["healthcheck", "--url", "http://a:pw@localhost"], "--url"],
		[["--constructor"], "unknown flag --constructor; see resort serve --help"],
		[["--__proto__=x"], "unknown flag --__proto__"],
		[["-p", "1"], "-p"],
		[["serve", "--database", "--metrics"], "--database needs a value"],
		[["serve", "--metrics", "--database"], "--database needs a value"],
		[["backup", "f", "--database", "--config=x"], "--database needs a value"],
		[["mcp", "--insecure=yes"], "--insecure takes no value"],
		[["--admin-socket", "/run/resort"], "--admin-socket was removed"],
		[["serve", "--admin-socket=/run/resort"], "needs no socket: remove"],
		[["test"], "needs a command after --"],
		[["test", "--"], "needs a command after --"],
		[["test", "true"], "unexpected argument; see resort test --help"],
		[
			["test", "--port", "0", "--", "true"],
			"unknown flag --port; see resort test --help",
		],
		[["test", "--max-stay", "-1", "--", "true"], '--max-stay "-1": must be'],
		[["test", "--rate-limits", "maybe", "--", "true"], "must be on, off or"],
		[["test", "--seed", "x", "--", "true"], '--seed "x": must be'],
		[
			["test", "stray", "--", "true"],
			"unexpected argument; see resort test --help",
		],
		[
			["test", "--frozen", "yes", "--", "true"],
			"unexpected argument after --frozen; see resort test",
		],
		[
			["test", "--seed", "1", "2", "--", "true"],
			"unexpected argument after --seed; see resort test --help",
		],
		[
			["test", "--", "--test-controls", "true"],
			"--test-controls must be after --: resort test [FLAGS] -- COMMAND",
		],
		[["healthcheck", "--url", "resort.test"], "--url"],
		[
			["healthcheck", "--database", "x"],
			"unknown flag --database; see resort healthcheck --help",
		],
		[["doctor", "--x"], "unknown flag --x; see resort doctor --help"],
		[["backup", "f", "--x"], "unknown flag --x; see resort backup --help"],
		[["restore", "f", "--x"], "unknown flag --x; see resort restore --help"],
	];

	test.each(wrongFlags)("%p is refused with exit 2", async (args, told) => {
		await folder.refuse(args, told, 2);
	});

	test.each([
		["RESORT_PORT", "x"],
		["PORT", "x"],
		["RESORT_RATE_LIMITS", "maybe"],
		["RESORT_EPHEMERAL", "maybe"],
		["RESORT_MAX_STAY", "soon"],
		["RESORT_SEED", "lucky"],
	])("the variable %s is named when it is wrong", async (name, value) => {
		await folder.refuse([], `resort: ${name} "${value}": must be `, 2, {
			env: { [name]: value },
		});
	});

	test.each([
		["--base-url", "https://u:hunter2@resort.test"],
		["--base-url", "https://u:hun/ter2@resort.test"],
		["--base-url", "https://u:hun@ter2@resort.test"],
		["--identity-url", "ftp://u:hunter2@id.test"],
		["--base-url", "u:hunter2@resort.test"],
	])("%s %s is refused without its password", async (flag, url) => {
		const stderr = await folder.refuse(
			[flag, url],
			/\(hidden\)@(resort|id)\.test.*credentials/,
			2,
		);
		expect(stderr).not.toMatch(/hun|ter2/);
	});

	test.each([
		[["--port", "1", "hunter2"], "unexpected argument after --port;"],
		[["--metrics", "hunter2"], "unexpected argument after --metrics;"],
		[["doctor", "hunter2", "--port", "1"], "unexpected argument;"],
	])(
		"%p: the place of a stray word is shown, not the word",
		async (args, told) => {
			const stderr = await folder.refuse(args, told, 2);
			expect(stderr).not.toContain("hunter2");
		},
	);

	test("a secret that is refused is not shown", async () => {
		const stderr = await folder.refuse(
			["--identity-secret", "hunter2-hunter2"],
			"--identity-secret: must be",
			2,
		);
		expect(stderr).not.toContain("hunter2");
	});
});
