import { describe, expect, test } from "bun:test";
import { settingChecks } from "../../src/cli/check-settings.ts";
import { configuration } from "../../src/cli/features.ts";
import { serve } from "../../src/cli/serve-command.ts";
import { parseCommandLine } from "../../src/core/lib/command-line.ts";
import { runChecks } from "../../src/core/store/check.ts";
import { linesOf } from "../core/server/log-of.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();

const HTTPS = "--base-url https://resort.test";
const PROXIES = "--trusted-proxies 127.0.0.1,::1";

const OF_MACHINE = /free disk|open files/;

const toArguments = (line: string) => line.split(" ").filter((word) => word !== "");

/** Returns the warnings about settings, by the name of the check. */
async function warningsAbout(line: string): Promise<Record<string, string>> {
	const { flags } = parseCommandLine(toArguments(line), "serve", serve);
	const found = await runChecks(settingChecks, configuration.read(flags, {}));
	return Object.fromEntries(
		found.filter(({ name }) => !OF_MACHINE.test(name)).map(({ name, what }) => [name, what]),
	);
}

describe("doctor", () => {
	test.each([
		HTTPS,
		"--trusted-proxies 10.0.0.1,::/0",
		`--host 0.0.0.0 ${HTTPS} --rate-limits off`,
		`${HTTPS} ${PROXIES} --rate-limits off`,
	])("gives a warning with the flags %p", async (line) => {
		// To record it again, add --update-snapshots.
		expect(await warningsAbout(line)).toMatchSnapshot();
	});

	test.each([
		["gives a warning", 10_999, "warn at most 10999, but 10000 event streams"],
		["gives no warning", 11_000, undefined],
	] as const)("%s if at most %d files may be open", async (_, files, told) => {
		const before = ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh"];
		const { checks } = await folder.doctor(["--database", ":memory:"], { before });
		expect(checks["open files"]?.slice(0, told?.length)).toBe(told);
	});

	test.each([
		"",
		`${HTTPS} ${PROXIES}`,
		`${HTTPS} ${PROXIES} --host 0.0.0.0`,
		"--base-url http://127.0.0.1:3000",
		"--base-url http://[::1]:3000",
		"--trusted-proxies 0.0.0.0/1,128.0.0.0/1",
		`${HTTPS} --ephemeral`,
		"--trusted-proxies ::/0 --rate-limits off",
	])("gives no warning with the flags %p", async (line) => {
		expect(await warningsAbout(line)).toEqual({});
	});
});

describe("serve", () => {
	async function advice(line: string) {
		const resort = await folder.serve(["--port", "0", ...toArguments(line)]);
		const { stderr } = await resort.stop();
		return linesOf(stderr).filter(({ level, about }) => level === "WARN" && about !== undefined);
	}

	test("logs the warning that doctor gives about the same settings", async () => {
		const line = `--database :memory: ${HTTPS} --trusted-proxies ::/0`;
		const message = (await warningsAbout(line))["trusted proxies"];
		expect(await advice(line)).toMatchObject([{ about: "trusted proxies", message }]);
	});

	test.each([
		[
			"a warning about rate limits",
			"an instance without limits that listens on all addresses",
			"--ephemeral --host 0.0.0.0",
			["rate limits"],
		],
		["no warning", "recommended settings", "--database :memory:", []],
		["no warning", "an ephemeral instance on a loopback address", `--ephemeral ${HTTPS}`, []],
		["no warning", "an ephemeral instance that trusts every proxy", "--ephemeral --trusted-proxies ::/0", []],
	])("logs %s for %s (%s)", async (_logged, _what, line, about) => {
		const logged = await advice(line);
		expect(logged.map(({ about }) => about)).toEqual(about);
	});
});

describe("an unknown environment variable", () => {
	const env = {
		RESORT_PROT: "1",
		RESORT_SOMETHING_ELSE: "hunter2",
		RESORT_URL: "http://127.0.0.1:1",
		RESORT_AGENT_KEYS: "{}",
		RESORT_AGENT_KEYS_FILE: "/nowhere/keys.json",
		RESORT_DATABASE_FILE: "",
		RESORTS: "1",
	};

	test("is reported by serve and doctor with the most similar name, but without its value", async () => {
		const told = async (variables: Record<string, string>) => {
			const resort = await folder.serve(["--ephemeral"], { env: variables });
			const { stderr } = await resort.stop();
			expect(stderr).not.toContain("hunter2");
			return linesOf(stderr, "unknown variables");
		};
		const prot = "RESORT_PROT (RESORT_PORT?)";
		expect(await told(env)).toMatchObject([{ level: "WARN", variables: [prot, "RESORT_SOMETHING_ELSE"] }]);
		const { RESORT_SOMETHING_ELSE, ...others } = env;
		expect(await told(others)).toMatchObject([{ variables: [prot] }]);
		const { checks } = await folder.doctor(["--database", ":memory:"], { env: others });
		expect(checks["unknown variable"]).toBe(`warn ${prot}`);
	});
});
