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

const toArguments = (line: string) => line.split(" ").filter((word) => word !== "");

/** Returns doctor's warnings about flags, by check. Omits "open files", which depends on the machine. */
async function warningsAbout(line: string): Promise<Record<string, string>> {
	const { flags } = parseCommandLine(toArguments(line), "serve", serve);
	const found = await runChecks(settingChecks, configuration.read(flags, {}));
	const { "open files": _, ...warnings } = Object.fromEntries(found.map(({ name, what }) => [name, what]));
	return warnings;
}

describe("doctor", () => {
	test.each([
		["trusted proxies", HTTPS],
		["trusted proxies", "--trusted-proxies 10.0.0.1,::/0"],
		["trusted proxies", "--trusted-proxies 10.9.9.9"],
		["rate limits", `--host 0.0.0.0 ${HTTPS} --rate-limits off`],
		["rate limits", `${HTTPS} ${PROXIES} --rate-limits off`],
	])("warns about %s if the flags are `%s`", async (_, line) => {
		// To record the warnings again, add --update-snapshots.
		expect(await warningsAbout(line)).toMatchSnapshot();
	});

	test.each([
		["gives a warning", 10_999, "warn at most 10999, but 10000 event streams"],
		["gives no warning", 11_000, undefined],
	] as const)("%s if the process may open at most %d files", async (_, files, told) => {
		const before = ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh"];
		const { checks } = await folder.doctor(["--database", ":memory:"], { before });
		expect(checks["open files"]?.slice(0, told?.length)).toBe(told);
	});

	test.each([
		["without flags", ""],
		["about an https: base URL with trusted proxies", `${HTTPS} ${PROXIES} --host 0.0.0.0`],
		["about an http: base URL on loopback", "--base-url http://127.0.0.1:3000"],
		["about 0.0.0.0/1 and 128.0.0.0/1 as proxies", "--trusted-proxies 0.0.0.0/1,128.0.0.0/1"],
		["about an https: base URL with `--ephemeral`", `${HTTPS} --ephemeral`],
		["about a proxy on loopback", "--trusted-proxies 10.9.9.9,::1"],
		["about a proxy that can reach the host", "--trusted-proxies 10.9.9.9 --host 10.0.0.1"],
		["about ::/0 as proxies if rate limits are off", "--trusted-proxies ::/0 --rate-limits off"],
	])("gives no warning %s", async (_, line) => {
		expect(await warningsAbout(line)).toEqual({});
	});
});

test("serve logs the warning of doctor about `--trusted-proxies ::/0`, unless the instance is ephemeral and on loopback", async () => {
	const settings = `${HTTPS} --trusted-proxies ::/0 --rate-limits on`;
	const message = (await warningsAbout(settings))["trusted proxies"];
	const adviceFor = async (kind: string) => {
		const resort = await folder.serve(toArguments(`--port 0 ${kind} ${settings}`));
		const { stderr } = await resort.stop();
		return linesOf(stderr).filter(({ level }) => level === "WARN");
	};
	expect(await adviceFor("--database :memory:")).toMatchObject([{ about: "trusted proxies", message }]);
	expect(await adviceFor("--ephemeral")).toEqual([]);
});

test("serve and doctor report unknown RESORT_ variables, and suggest the most similar name, but do not print the values", async () => {
	const env = {
		RESORT_PROT: "1",
		RESORT_SOMETHING_ELSE: "hunter2",
		RESORT_URL: "http://127.0.0.1:1",
		RESORT_AGENT_KEYS: "{}",
		RESORT_AGENT_KEYS_FILE: "/nowhere/keys.json",
		RESORT_DATABASE_FILE: "",
		RESORTS: "1",
	};
	const variables = ["RESORT_PROT (RESORT_PORT?)", "RESORT_SOMETHING_ELSE"];
	const resort = await folder.serve(["--ephemeral"], { env: { RESORT_PROT: "hunter2" } });
	const { stderr } = await resort.stop();
	const [misspelt] = variables;
	expect(linesOf(stderr, "unknown variables")).toMatchObject([{ level: "WARN", variables: [misspelt] }]);
	const { stdout } = await folder.doctor(["--database", ":memory:"], { env });
	expect(Array.from(stdout.matchAll(/unknown variable +(.*)/g), ([, what]) => what)).toEqual(variables);
	expect(stderr + stdout).not.toContain("hunter2");
});
