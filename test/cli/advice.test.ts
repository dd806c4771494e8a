import { describe, expect, test } from "bun:test";
import { settingChecks } from "../../src/cli/check-settings.ts";
import { configuration } from "../../src/cli/features.ts";
import { serve } from "../../src/cli/serve-command.ts";
import { parseCommandLine } from "../../src/core/lib/command-line.ts";
import { runChecks } from "../../src/core/store/check.ts";
import { linesOf } from "../core/server/log-of.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();

const HTTPS = ["--base-url", "https://resort.test"];
const PROXIES = ["--trusted-proxies", "127.0.0.1,::1"];

const OF_MACHINE = /free disk|open files/;

/** Returns the warnings about settings, by the name of the check. */
async function warningsAbout(args: readonly string[]): Promise<Record<string, string>> {
	const { flags } = parseCommandLine(args, "serve", serve);
	const found = await runChecks(settingChecks, configuration.read(flags, {}));
	return Object.fromEntries(
		found.filter(({ name }) => !OF_MACHINE.test(name)).map(({ name, what }) => [name, what]),
	);
}

describe("doctor", () => {
	// To record the warnings again, add --update-snapshots.
	const unsafe: readonly (readonly string[])[] = [
		HTTPS,
		["--trusted-proxies", "10.0.0.1,::/0"],
		["--host", "0.0.0.0", ...HTTPS, "--rate-limits", "off"],
		[...HTTPS, ...PROXIES, "--rate-limits", "off"],
	];
	test.each(unsafe.map((args) => args.join(" ")))("warns of %s", async (line) => {
		expect(await warningsAbout(line.split(" "))).toMatchSnapshot();
	});

	test.each([
		[10_999, "warn at most 10999, but 10000 event streams"],
		[11_000, undefined],
	])("checks the limit of open files: %d", async (files, told) => {
		const before = ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh"];
		const { checks } = await folder.doctor(["--database", ":memory:"], { before });
		expect(checks["open files"]?.slice(0, told?.length)).toBe(told);
	});

	test.each<[args: string[]]>([
		[[]],
		[[...HTTPS, ...PROXIES]],
		[[...HTTPS, ...PROXIES, "--host", "0.0.0.0"]],
		[["--base-url", "http://127.0.0.1:3000"]],
		[["--base-url", "http://[::1]:3000"]],
		[["--trusted-proxies", "0.0.0.0/1,128.0.0.0/1"]],
		[[...HTTPS, "--ephemeral"]],
		[["--trusted-proxies", "::/0", "--rate-limits", "off"]],
	])("does not warn of %p", async (args) => {
		expect(await warningsAbout(args)).toEqual({});
	});
});

describe("serve", () => {
	async function advice(args: readonly string[]): Promise<unknown[]> {
		const resort = await folder.serve(["--port", "0", ...args]);
		const { stderr } = await resort.stop();
		return linesOf(stderr).filter(({ level, about }) => level === "WARN" && about !== undefined);
	}

	const MEMORY = ["--database", ":memory:"];

	test("logs the warnings of doctor about its settings", async () => {
		const args = [...MEMORY, ...HTTPS, "--trusted-proxies", "::/0"];
		const message = (await warningsAbout(args))["trusted proxies"];
		expect(await advice(args)).toMatchObject([{ about: "trusted proxies", message }]);
	});

	test("logs a warning if an instance without limits listens on all addresses", async () => {
		expect(await advice(["--ephemeral", "--host", "0.0.0.0"])).toMatchObject([{ about: "rate limits" }]);
	});

	test("logs no warning for good settings, or for an ephemeral instance on loopback", async () => {
		expect(await advice(MEMORY)).toEqual([]);
		expect(await advice(["--ephemeral", ...HTTPS])).toEqual([]);
		expect(await advice([...MEMORY, "--trusted-proxies", "::/0", "--ephemeral"])).toEqual([]);
	});
});

describe("a misspelt variable", () => {
	const env = {
		RESORT_PROT: "1",
		RESORT_SOMETHING_ELSE: "hunter2",
		RESORT_URL: "http://127.0.0.1:1",
		RESORT_AGENT_KEYS: "{}",
		RESORT_AGENT_KEYS_FILE: "/nowhere/keys.json",
		RESORT_DATABASE_FILE: "",
		RESORTS: "1",
	};

	test("is reported by serve and doctor with the nearest name, without its value", async () => {
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
