import { test } from "bun:test";
import { endOf } from "./executable.ts";

/**
 * A test that needs programs of the machine. Where one is missing it is skipped and says which; in CI
 * (`CI=true`) it fails, so that it cannot go unnoticed there.
 * @param timeoutMs how long it may take; the runner's own limit when not given
 */
export function testWith(
	tools: readonly string[],
	name: string,
	body: () => Promise<void>,
	timeoutMs?: number,
): void {
	const missing = tools.filter((tool) => toolPath(tool) === null);
	if (missing.length === 0) {
		test(name, body, timeoutMs);
		return;
	}
	const reason = `not installed: ${missing.join(", ")}`;
	if (process.env.CI === "true") {
		test(name, () => {
			throw new Error(`${reason}; .ci/run installs what it can`);
		});
		return;
	}
	test.skip(`${name} (${reason})`, body);
}

/** Where a program is: on the path, or where Debian puts those of the administrator. */
export function toolPath(tool: string): string | null {
	return Bun.which(tool, {
		PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin`,
	});
}

/**
 * Runs a program to its end.
 * @param env variables that override those of the tests
 * @returns its exit code and everything it wrote
 */
export async function runTool(
	tool: string,
	args: readonly string[],
	env?: Record<string, string | undefined>,
): Promise<{ exitCode: number; output: string }> {
	const path = toolPath(tool);
	if (path === null) throw new Error(`${tool} is not installed`);
	const child = Bun.spawn([path, ...args], {
		env: { ...process.env, ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	const { exitCode, stdout, stderr } = await endOf(child);
	return { exitCode, output: stdout + stderr };
}
