import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
	clientHouse,
	fakeResort,
	startClient,
	wrappings,
} from "../support/client.ts";
import { useServing } from "../support/use-serving.ts";

const resort = useServing(["--ephemeral", "--rate-limits", "off"]);

describe.each(wrappings)("%s", (name, program) => {
	const context = (env: Record<string, string> = {}) =>
		clientHouse(program, env);

	test("wait ends when it is so, and with 8 when the time is over", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const { agent } = await ada.ok("register", "--name", "Ada");
		await ada.ok("checkin");
		const until = ["wait", agent.id, "--until", "available"];
		expect((await ada.run([...until, "--timeout", "0"])).exitCode).toBe(8);
		expect((await ada.run([...until, "--timeout", "1.2"])).exitCode).toBe(8);
		const waiting = ada.ok(...until, "--timeout", "60");
		await Bun.sleep(500);
		await ada.ok("checkout");
		expect((await waiting).status).toBe("available");
	});

	test("wait ends in time when nobody answers any more", async () => {
		let count = 0;
		await using hung = fakeResort(() => {
			count++;
			return count === 1
				? Response.json({ ok: true, status: "relaxing" })
				: new Promise<Response>(() => undefined);
		});
		using bare = context({ RESORT_API_URL: hung.url });
		const startedAt = performance.now();
		const { exitCode } = await bare.run(
			"wait x --until available --timeout 1.5".split(" "),
		);
		expect(exitCode).toBe(8);
		expect(performance.now() - startedAt).toBeLessThan(10_000);
	});

	test("wait asks no sooner when it is told to ask in a year", async () => {
		await using busy = fakeResort(() =>
			busy.asked.length === 1
				? Response.json({ ok: true, status: "relaxing" })
				: Response.json(
						{ error: "busy" },
						{ status: 429, headers: { "retry-after": "31536000" } },
					),
		);
		using bare = context({ RESORT_API_URL: busy.url });
		const child = startClient(program, ["wait", "x", "--until", "available"], {
			home: bare.home,
			env: { RESORT_API_URL: busy.url },
		});
		await Bun.sleep(1_000);
		child.kill();
		expect(busy.asked).toHaveLength(2);
		await child.exited;
	});

	test("watch tells events as they come, a line of JSON each, until nobody reads", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const { agent } = await ada.ok("register", "--name", "Ada");
		const child = startClient(
			program,
			["watch", agent.id, "--types", "agent.relaxing,agent.available"],
			{
				home: ada.home,
				env: { RESORT_API_URL: resort.url },
			},
		);
		await Bun.sleep(700);
		await ada.ok("checkin");
		await ada.ok("checkout");
		let text = "";
		for await (const part of child.stdout) {
			text += Buffer.from(part).toString();
			if (text.split("\n").length > 2) break;
		}
		child.kill();
		await child.exited;
		const types = text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line).type);
		expect(types).toEqual(["agent.relaxing", "agent.available"]);
	});

	test("watch tells once of ids that the resort does not know, and watches the others", async () => {
		const known = "00000000-0000-7000-8000-00000000000A";
		const unknown = "00000000-0000-7000-8000-000000000000";
		let streams = 0;
		await using told = fakeResort((request) => {
			if (request.url.includes("/api/agents/status")) {
				const statuses = [{ id: known, status: "available" }];
				return Response.json({ ok: true, statuses, unknown: [unknown] });
			}
			streams++;
			return new Response("retry: 10\nid: 1\ndata: {}\n\n", {
				headers: { "content-type": "text/event-stream" },
			});
		});
		using bare = context();
		const child = startClient(program, ["watch", known, unknown], {
			home: bare.home,
			env: { RESORT_API_URL: told.url },
		});
		while (streams < 3) await Bun.sleep(20);
		child.kill();
		await child.exited;
		expect(await new Response(child.stderr).text()).toBe(
			`${name}: not found: ${unknown}; watching the others\n`,
		);
		const asked = told.asked.map(({ target }) => target);
		expect(asked.slice(0, 3)).toEqual([
			"/api/agents/status",
			"/api/events",
			"/api/events",
		]);
	});

	test("watch refuses what is no id before anything is asked", async () => {
		await using nobody = fakeResort(() => Response.json({ ok: true }));
		using bare = context({ RESORT_API_URL: nobody.url });
		const id = "00000000-0000-7000-8000-000000000000";
		const { exitCode, stderr } = await bare.run(["watch", id, "Ada", "Eve"]);
		expect({ exitCode, stderr }).toEqual({
			exitCode: 5,
			stderr: expect.stringContaining("not found: Ada, Eve\n"),
		});
		expect(nobody.asked).toEqual([]);
	});

	test("a refusal of watch that breaks off is told", async () => {
		const broken = createServer((_, answer) => {
			answer.writeHead(503, { "content-length": "9" });
			answer.write("{");
			setTimeout(() => answer.destroy(), 50);
		});
		await once(broken.listen(0, "127.0.0.1"), "listening");
		const { port } = broken.address() as AddressInfo;
		using bare = context({ RESORT_API_URL: `http://127.0.0.1:${port}` });
		expect(await bare.run(["watch"])).toMatchObject({
			exitCode: 7,
			stderr: expect.stringContaining("is not reachable ("),
		});
		broken.close();
	});

	test("a refusal of watch without an end is not read to it", async () => {
		const part = new Uint8Array(1024 * 1024).fill(32);
		await using broken = fakeResort(() => {
			const body = new ReadableStream({
				pull: (stream) => stream.enqueue(part),
			});
			return new Response(body, { status: 503 });
		});
		using bare = context({ RESORT_API_URL: broken.url });
		expect(await bare.run(["watch"])).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining("without end"),
		});
	});

	test("wait waits for an agent to be available when it is not told more", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const { agent } = await ada.ok("register", "--name", "Ada");
		expect((await ada.ok("wait", agent.id)).status).toBe("available");
		await ada.ok("checkin");
		const args = ["wait", agent.id, "--timeout", "0"];
		expect(await ada.run(args)).toMatchObject({
			exitCode: 8,
			stderr: expect.stringContaining("not available in time"),
		});
	});

	test("watch tells once that nobody is there, and that somebody is back", async () => {
		const stream = "retry: 50\nid: 1\ndata: {}\n\n";
		let calls = 0;
		await using broken = fakeResort(() => {
			calls++;
			return calls > 1 && calls < 4
				? Response.json({ error: "Unavailable" }, { status: 503 })
				: new Response(stream, {
						headers: { "content-type": "text/event-stream" },
					});
		});
		using bare = context();
		const child = startClient(program, ["watch"], {
			home: bare.home,
			env: { RESORT_API_URL: broken.url },
		});
		while (calls < 5) await Bun.sleep(20);
		child.kill();
		await child.exited;
		expect(await new Response(child.stderr).text()).toBe(
			`${name}: Unavailable; trying again\n${name}: ${broken.url} is back\n`,
		);
	});

	test("watch comes again no sooner than a limit says", async () => {
		await using busy = fakeResort(() =>
			busy.asked.length === 1
				? new Response("retry: 10\nid: 1\ndata: {}\n\n", {
						headers: { "content-type": "text/event-stream" },
					})
				: Response.json(
						{ error: "Rate limit exceeded" },
						{ status: 429, headers: { "retry-after": "31536000" } },
					),
		);
		using bare = context();
		const child = startClient(program, ["watch"], {
			home: bare.home,
			env: { RESORT_API_URL: busy.url },
		});
		await Bun.sleep(1_500);
		child.kill();
		await child.exited;
		expect(busy.asked).toHaveLength(2);
	});

	test("watch connects again, and goes on behind the last event", async () => {
		let id = 0;
		await using broken = fakeResort(() => {
			id++;
			const event = `retry: 50\nid: ${id}\nevent: agent.relaxing\ndata: {"id":"${id}"}\n\n`;
			const reset = id === 2 ? `event: reset\ndata: {"cursor":"2"}\n\n` : "";
			return id === 2
				? new Response(event + reset, {
						headers: { "content-type": "text/event-stream" },
					})
				: id === 3
					? new Response("", { status: 503 })
					: new Response(event, {
							headers: { "content-type": "text/event-stream" },
						});
		});
		using bare = context();
		const child = startClient(program, ["watch"], {
			home: bare.home,
			env: { RESORT_API_URL: broken.url },
		});
		let text = "";
		for await (const part of child.stdout) {
			text += Buffer.from(part).toString();
			if (text.split("\n").length > 4) break;
		}
		child.kill();
		await child.exited;
		const lines = text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(lines.slice(0, 4)).toEqual([
			{ id: "1" },
			{ id: "2" },
			{ type: "reset", cursor: "2" },
			{ id: "4" },
		]);
		expect(
			broken.asked.slice(0, 4).map(({ headers }) => headers["last-event-id"]),
		).toEqual([undefined, "1", "2", "2"]);
	});
});
