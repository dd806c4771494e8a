import { expect, test } from "bun:test";

import { executable } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

const flags = ["--ephemeral", "--exit-with-parent", "--log-level", "warning"];

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

async function endedWithin(pid: number, ms: number): Promise<boolean> {
	const untilMs = performance.now() + ms;
	while (isAlive(pid) && performance.now() < untilMs) await Bun.sleep(20);
	return !isAlive(pid);
}

async function firstLine(stream: ReadableStream<Uint8Array>) {
	for await (const chunk of stream) {
		return JSON.parse(new TextDecoder().decode(chunk).split("\n")[0] ?? "");
	}
}

test("ends in order, with exit code 0, when stdin closes, whatever came over it", async () => {
	const child = Bun.spawn([executable, "serve", ...flags], {
		cwd,
		env: {},
		stdio: ["pipe", "pipe", "pipe"],
	});
	const { url } = await firstLine(child.stdout);
	child.stdin.write("hello\n");
	await child.stdin.flush();
	expect((await fetch(`${url}/api/health`)).status).toBe(200);
	child.stdin.end();
	expect(await child.exited).toBe(0);
	expect(await new Response(child.stderr).text()).toBe("");
});

test("ends within 2 s when the program that started it is killed", async () => {
	const starter = `
		const child = Bun.spawn(${JSON.stringify([executable, "serve", ...flags])}, {
			stdio: ["pipe", "pipe", "inherit"],
		});
		for await (const chunk of child.stdout) process.stdout.write(chunk);
	`;
	const parent = Bun.spawn([process.execPath, "-e", starter], {
		cwd,
		env: {},
		stdio: ["ignore", "pipe", "inherit"],
	});
	const { pid, url } = await firstLine(parent.stdout);
	expect((await fetch(`${url}/api/health`)).status).toBe(200);
	parent.kill("SIGKILL");
	await parent.exited;
	expect(await endedWithin(pid, 2_000)).toBe(true);
});

test.each(["< /dev/null", "<&-", "< resort.json"])(
	"refuses a stdin that ends at once: %s",
	async (stdin) => {
		await Bun.write(`${cwd}/resort.json`, "{}");
		const line = `exec ${executable} serve ${flags.join(" ")} ${stdin}`;
		const child = Bun.spawn(["sh", "-c", line], {
			cwd,
			env: {},
			stderr: "pipe",
		});
		expect(await child.exited).toBe(2);
		expect(await new Response(child.stderr).text()).toMatch(
			/^resort: --exit-with-parent: stdin must be a pipe/,
		);
	},
);

test("goes only with --ephemeral", async () => {
	const { exitCode, stderr } = await folder.run([
		"serve",
		"--exit-with-parent",
	]);
	expect(exitCode).toBe(2);
	expect(stderr).toContain("--exit-with-parent goes only with --ephemeral");
});
