import { test } from "bun:test";
import { runProgram } from "./executable.ts";

/** The names of Debian packages by the program that they contain, where the two names differ. */
const debianPackages: Readonly<Record<string, string>> = {
	nginx: "nginx-light",
	node: "nodejs",
	npx: "npm",
	"pytest-3": "python3-pytest",
	script: "bsdutils",
	setsid: "util-linux",
	"systemd-analyze": "systemd",
	"fail2ban-client": "fail2ban",
};

/** Defines a test that needs programs. If one is not installed, the test is skipped; in CI it fails. */
export function testWith(
	tools: readonly string[],
	name: string,
	body: () => Promise<void>,
	timeoutMs?: number,
): void {
	const missing = tools.filter((tool) => toolPath(tool) === null);
	const install = missing.map((tool) => debianPackages[tool] ?? tool).join(" ");
	testUnless(
		missing.length > 0 && `needs ${missing.join(", ")}: apt-get install ${install}`,
		name,
		body,
		timeoutMs,
	);
}

/** Returns the function `test` for a file in which all tests need these programs; see {@link testWith}. */
export function testsWith(...tools: readonly string[]) {
	return (name: string, body: () => Promise<void>, timeoutMs?: number) =>
		testWith(tools, name, body, timeoutMs);
}

/** Defines a test that is skipped if something is missing; in CI (`CI=true`) it fails instead. */
export function testUnless(
	missing: string | false,
	name: string,
	body: () => Promise<void>,
	timeoutMs?: number,
): void {
	if (missing === false) {
		test(name, body, timeoutMs);
	} else if (process.env.CI === "true") {
		test(name, () => {
			throw new Error(`${missing}; .ci/run installs what it can`);
		});
	} else {
		test.skip(`${name} (${missing})`, body);
	}
}

/** Returns the path of a program on the PATH, in /usr/sbin or in /sbin; null if it is in none of them. */
export function toolPath(tool: string): string | null {
	return Bun.which(tool, { PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` });
}

/** Runs a program until it ends. */
export async function runTool(
	tool: string,
	args: readonly string[],
	env?: Record<string, string | undefined>,
): Promise<{ exitCode: number; output: string }> {
	const path = toolPath(tool);
	if (path === null) throw new Error(`${tool} is not installed`);
	const { exitCode, stdout, stderr } = await runProgram([path, ...args], { env: { ...process.env, ...env } });
	return { exitCode, output: stdout + stderr };
}

/** Commands that start Node: the one on the PATH, and the paths in `RESORT_TEST_NODES`, split at colons. */
export const nodes: readonly string[] = [
	"node",
	...(process.env.RESORT_TEST_NODES ?? "").split(":").filter((path) => path),
];

/** The path of a folder `node_modules` with webpack and several versions of npm; empty if there is none. */
export const packages = process.env.RESORT_TEST_PACKAGES ?? "";

/** The reason why tests that use {@link packages} cannot run; false if they can. */
export const missingPackages = packages === "" && "needs RESORT_TEST_PACKAGES: see CONTRIBUTING.md";
