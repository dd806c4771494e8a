import { describe, expect, test } from "bun:test";
import { useFreshFolder } from "../support/program-folder.ts";

const folder = useFreshFolder();

describe("resort healthcheck --wait", () => {
	test("is 0 once an instance that starts later is healthy", async () => {
		const asked = Promise.withResolvers<void>();
		// Takes the instance's port and reports the first request; then it frees the port.
		const before = Bun.serve({
			port: 0,
			fetch() {
				asked.resolve();
				return new Response("not yet", { status: 503 });
			},
		});
		const { port } = before;
		const healthy = folder.run(["healthcheck", "--wait", "60"], {
			env: { RESORT_PORT: String(port) },
		});
		await asked.promise;
		await before.stop(true);
		const resort = await folder.serve(["--ephemeral", "--port", String(port)]);
		expect(await healthy).toEqual({ exitCode: 0, stdout: "", stderr: "" });
		await resort.stop();
	});

	test("is 1 when the time is over, and asked more than once", async () => {
		let asked = 0;
		const sick = Bun.serve({
			port: 0,
			fetch() {
				asked++;
				return new Response("", { status: 503 });
			},
		});
		const startedAt = performance.now();
		await folder.refuse(
			["healthcheck", "--wait", "1", "--url", sick.url.origin],
			/^resort: [^\n]*returned 503\n$/,
			1,
		);
		expect(asked).toBeGreaterThan(1);
		expect(performance.now() - startedAt).toBeGreaterThan(500);
		await sick.stop(true);
	});

	test("is 1 in time when an instance takes the call and never answers", async () => {
		const mute = Bun.serve({ port: 0, fetch: () => new Promise(() => {}) });
		const startedAt = performance.now();
		const { exitCode } = await folder.run([
			"healthcheck",
			"--wait",
			"1",
			"--url",
			mute.url.origin,
		]);
		expect(exitCode).toBe(1);
		expect(performance.now() - startedAt).toBeLessThan(4_000);
		await mute.stop(true);
	});

	test.each(["-1", "3601", "1.5", "soon", ""])("%p is exit 2", async (wait) => {
		const reason = `--wait "${wait}": must be a whole number`;
		await folder.refuse(["healthcheck", `--wait=${wait}`], reason, 2);
	});
});

describe("resort healthcheck", () => {
	test("is 0 for a healthy instance, by URL and by configuration", async () => {
		const resort = await folder.serve(["--ephemeral"]);
		const { port } = new URL(resort.url);
		const byUrl = await folder.run(["healthcheck", "--url", resort.url]);
		const byPort = await folder.run(["healthcheck"], {
			env: { RESORT_PORT: port },
		});
		expect([byUrl.exitCode, byPort.exitCode]).toEqual([0, 0]);
		await resort.stop();
	});

	test("is 1 when nothing answers", async () => {
		const resort = await folder.serve(["--ephemeral"]);
		await resort.stop();
		await folder.refuse(
			["healthcheck", "--url", resort.url],
			/^resort: [^\n]*does not respond[^\n]*\n$/,
			1,
		);
	});

	test("is 1 when something else answers", async () => {
		const other = Bun.serve({ port: 0, fetch: () => new Response("hello") });
		const { exitCode } = await folder.run([
			"healthcheck",
			"--url",
			other.url.origin,
		]);
		expect(exitCode).toBe(1);
		await other.stop(true);
	});
});
