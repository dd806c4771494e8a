import { describe, expect, test } from "bun:test";
import { run, serve, temporaryFolder } from "../support/executable.ts";

describe("resort healthcheck --wait", () => {
	test("is 0 once an instance that starts later is healthy", async () => {
		using folder = temporaryFolder();
		const cwd = folder.path;
		const asked = Promise.withResolvers<void>();
		// Stands in the instance's place and tells when it has been asked: then it makes room.
		const before = Bun.serve({
			port: 0,
			fetch() {
				asked.resolve();
				return new Response("not yet", { status: 503 });
			},
		});
		const { port } = before;
		const healthy = run(["healthcheck", "--wait", "60"], {
			cwd,
			env: { RESORT_PORT: String(port) },
		});
		await asked.promise;
		await before.stop(true);
		const resort = await serve(["--ephemeral", "--port", String(port)], {
			cwd,
		});
		expect(await healthy).toEqual({ exitCode: 0, stdout: "", stderr: "" });
		await resort.stop();
	});

	test("is 1 when the time is over, and asked more than once", async () => {
		using folder = temporaryFolder();
		let asked = 0;
		const sick = Bun.serve({
			port: 0,
			fetch() {
				asked++;
				return new Response("", { status: 503 });
			},
		});
		const startedAt = performance.now();
		const { exitCode, stderr } = await run(
			["healthcheck", "--wait", "1", "--url", sick.url.origin],
			{ cwd: folder.path },
		);
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^resort: [^\n]*answers 503\n$/);
		expect(asked).toBeGreaterThan(1);
		expect(performance.now() - startedAt).toBeGreaterThan(500);
		await sick.stop(true);
	});

	test("is 1 in time when an instance takes the call and never answers", async () => {
		using folder = temporaryFolder();
		const mute = Bun.serve({ port: 0, fetch: () => new Promise(() => {}) });
		const startedAt = performance.now();
		const { exitCode } = await run(
			["healthcheck", "--wait", "1", "--url", mute.url.origin],
			{ cwd: folder.path },
		);
		expect(exitCode).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(4_000);
		await mute.stop(true);
	});

	test.each(["-1", "3601", "1.5", "soon", ""])("%p is exit 2", async (wait) => {
		using folder = temporaryFolder();
		const { exitCode, stderr } = await run(["healthcheck", `--wait=${wait}`], {
			cwd: folder.path,
		});
		expect(exitCode).toBe(2);
		expect(stderr).toContain(`--wait "${wait}": must be a whole number`);
	});
});
