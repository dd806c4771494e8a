import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { quickKinds } from "../../src/pipeline/quick.ts";
import { ReadyAnswers } from "../../src/pipeline/ready.ts";
import { frontOf } from "../../src/server/front.ts";
import { onPostgres } from "../support/engine.ts";
import { serve, temporaryFolder } from "../support/executable.ts";
import { TestResort } from "../support/resort.ts";

let context: TestResort;

beforeEach(() => {
	context = new TestResort({ maxStayMs: 6 * HOUR_MS });
});
afterEach(() => context.close());

/** An answer, with what may differ between two of the same left out. */
async function told(answered: Response | Promise<Response>) {
	const response = await answered;
	const headers = [...response.headers].filter(
		([name]) => name !== "x-request-id",
	);
	return { status: response.status, headers, text: await response.text() };
}

/** Asks twice: in the quick way, and the framework. */
async function bothWays(path: string) {
	const request = () => new Request(`http://resort.test${path}`);
	// In this order, so that the first is not one that the framework has made and that was kept.
	const quick = await told(context.fetch(request()));
	return { quick, framework: await told(context.app.fetch(request())) };
}

async function requireSame(path: string, status: number): Promise<string> {
	const { quick, framework } = await bothWays(path);
	expect(quick).toEqual(framework);
	expect(quick.status).toBe(status);
	return quick.text;
}

describe("what is answered without the framework is the same to the byte", () => {
	test("for an agent that has not stayed yet", async () => {
		const { id } = await context.register({ name: 'Zoë 🌊 "\\ \u2028' });
		const text = await requireSame(`/api/agents/${id}/status`, 200);
		expect(JSON.parse(text)).not.toContainKey("lastStay");
	});

	test("for a guest, busy or not, and after its stay", async () => {
		const { id, key } = await context.guest();
		const path = `/api/agents/${id}/status`;
		await requireSame(path, 200);
		await context.ask("POST", "/api/activities/tidepool-float/do", { key });
		const busy = await requireSame(path, 200);
		expect(JSON.parse(busy).stay.currentActivity).not.toBeNull();
		context.advance(3 * HOUR_MS);
		const idle = await requireSame(path, 200);
		expect(JSON.parse(idle).stay.currentActivity).toBeNull();
		context.advance(3 * HOUR_MS - 1);
		expect(await requireSame(path, 200)).toContain("relaxing");
		context.advance(1);
		expect(await requireSame(path, 200)).toContain("available");
	});

	test("for one that has left, is unknown, or is spelt otherwise", async () => {
		const { id, key } = await context.guest();
		await requireSame(`/api/agents/${id.toUpperCase()}/status`, 200);
		await requireSame(`/api/agents/${id}/status?x`, 200);
		await requireSame(`/api/agents/${id}/status/`, 404);
		await requireSame(`/api/agents/${"-".repeat(36)}/status`, 404);
		await context.ask("DELETE", "/api/me", { key });
		await requireSame(`/api/agents/${id}/status`, 404);
	});

	test("of the health of the service", async () => {
		await requireSame("/api/health", 200);
		await requireSame("/api/health?deep=1", 200);
		if (onPostgres) await context.server.cut();
		else await context.rows("ALTER TABLE agents RENAME TO gone");
		await requireSame("/api/health", 503);
		if (onPostgres) await context.server.heal();
		else await context.rows("ALTER TABLE gone RENAME TO agents");
		await requireSame("/api/health", 200);
	});

	test("when the database fails", async () => {
		const { id } = await context.guest();
		await context.rows("ALTER TABLE stays RENAME TO gone");
		await requireSame(`/api/agents/${id}/status`, 500);
		await context.rows("ALTER TABLE gone RENAME TO stays");
	});
});

test("statuses and health are answered where there is no framework, and nothing else", async () => {
	const { id } = await context.guest();
	const { store, clock, maxStayMs } = context.context;
	const ready = new ReadyAnswers(store);
	ready.add(quickKinds);
	const answer = frontOf({
		source: { store, clock, maxStayMs },
		provider: null,
		ready,
		deliver: (_, content, init) => new Response(content, init),
		observer: null,
		faults: null,
		application: () => new Response("framework", { status: 500 }),
	});
	const ask = (path: string, method = "GET") =>
		told(answer(new Request(`http://resort.test${path}`, { method })));
	for (const path of [`/api/agents/${id}/status`, "/api/health"]) {
		const framework = context.app.fetch(
			new Request(`http://resort.test${path}`),
		);
		expect(await ask(path)).toEqual(await told(framework));
		for (const method of ["OPTIONS", "POST"]) {
			expect((await ask(path, method)).text).toBe("framework");
		}
		expect((await ask(`${path}/`)).text).toBe("framework");
	}
	expect((await ask(`/api/agents/${id}`)).text).toBe("framework");
});

describe("a resort that has just started", () => {
	test("answers and logs what comes before its application is loaded", async () => {
		using folder = temporaryFolder();
		const database = join(folder.path, "resort.sqlite");
		const before = await serve(
			["serve", "--port", "0", "--database", database],
			{ cwd: folder.path },
		);
		const registered = await fetch(`${before.url}/api/agents`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: "Ada" }),
		});
		const { agent } = (await registered.json()) as { agent: { id: string } };
		await before.stop();

		const resort = await serve(
			["serve", "--port", "0", "--database", database],
			{ cwd: folder.path },
		);
		const paths = [
			`/api/agents/${agent.id}/status`,
			"/api/health",
			"/api/lobby",
			"/api/nowhere",
		];
		const answers = await Promise.all(
			paths.map((path) => fetch(resort.url + path)),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
		const ended = await resort.stop();
		const lines = ended.stderr.matchAll(/"route":"([^"]+)","status":(\d+)/g);
		expect([...lines].map(([, ...line]) => line.join(" ")).sort()).toEqual([
			"/api/agents/:id/status 200",
			"/api/health 200",
			"/api/lobby 200",
			"unknown 404",
		]);
	});

	test("stops in order when nobody has asked for anything", async () => {
		using folder = temporaryFolder();
		const resort = await serve(["serve", "--port", "0", "--ephemeral"], {
			cwd: folder.path,
		});
		const { exitCode, stderr } = await resort.stop();
		expect(exitCode).toBe(0);
		expect(stderr).toContain('"stopped"');
	});
});
