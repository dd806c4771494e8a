import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../support/until.ts";
import { useDisposable } from "../support/use-disposable.ts";
import { useServer } from "../support/use-resort.ts";
import { clientHouse, eventStream, fakeResort, quietResort, useHouse, wrappings } from "./client.ts";

const resort = useServer(["--ephemeral", "--rate-limits", "off"]);

/** A server whose responses each test chooses. */
const fake = useDisposable(quietResort);

const busyForAYear = () =>
	Response.json({ error: "Rate limit exceeded" }, { status: 429, headers: { "retry-after": "31536000" } });
const stream = () => eventStream("retry: 10\nid: 1\ndata: {}\n\n");
const relaxing = () => Response.json({ ok: true, status: "relaxing" });
const unavailable = () => Response.json({ error: "Unavailable" }, { status: 503 });

/** Reads `count` lines of JSON from a program, and ends the program. */
async function linesOf(child: ReturnType<ReturnType<typeof clientHouse>["start"]>, count: number) {
	let text = "";
	for await (const part of child.stdout) {
		text += Buffer.from(part).toString();
		if (text.split("\n").length > count) break;
	}
	child.kill();
	await child.exited;
	const lines = text.trim().split("\n").slice(0, count);
	return lines.map((line) => JSON.parse(line));
}

describe.each(wrappings)("%s", (_, program) => {
	const context = (url: string) => clientHouse(program, { RESORT_API_URL: url });
	const bare = useHouse(program, fake);

	test("`wait` exits with 0 when the agent has the awaited status, and with 8 after `--timeout`", async () => {
		await using proxy = fakeResort(async ({ url, method, headers, body }) => {
			const { pathname, search } = new URL(url);
			return await fetch(resort.url + pathname + search, { method, headers, body });
		});
		using ada = context(proxy.url);
		const { agent } = await ada.ok("register", "--name", "Ada");
		// Without `--until`, the command waits for the status "available".
		expect((await ada.ok("wait", agent.id)).status).toBe("available");
		await ada.ok("checkin");
		const isLate = "not available in time";
		await ada.fails(8, ["wait", agent.id, "--timeout", "0"], isLate);
		const args = ["wait", agent.id, "--until", "available"];
		await ada.fails(8, [...args, "--timeout", "0.4"], isLate);
		const before = proxy.asked.length;
		const waiting = ada.ok(...args, "--timeout", "600");
		await until(() => proxy.asked.length > before);
		await ada.ok("checkout");
		expect((await waiting).status).toBe("available");
	});

	test("`wait` exits with 8 after `--timeout` if the resort no longer responds", async () => {
		fake.answer = () => (fake.asked.length === 1 ? relaxing() : new Promise<Response>(() => undefined));
		await bare.fails(8, "wait x --until available --timeout 0.5".split(" "));
	});

	test("`watch` prints each event as one line of JSON", async () => {
		using ada = context(resort.url);
		const { agent } = await ada.ok("register", "--name", "Ada");
		await ada.ok("checkin");
		await ada.ok("checkout");
		const types = "agent.relaxing,agent.available";
		const child = ada.start(["watch", agent.id, "--types", types, "--since", "0"]);
		expect(await linesOf(child, 2)).toMatchObject([{ type: "agent.relaxing" }, { type: "agent.available" }]);
	});

	test("`watch` exits with 7 if an error response is incomplete", async () => {
		const broken = createServer((_, answer) => {
			answer.writeHead(503, { "content-length": "9" });
			answer.write("{");
			setTimeout(() => answer.destroy(), 50);
		});
		await once(broken.listen(0, "127.0.0.1"), "listening");
		const { port } = broken.address() as AddressInfo;
		using other = context(`http://127.0.0.1:${port}`);
		await other.fails(7, ["watch"], "is not reachable (");
		broken.close();
	});

	test("`watch` exits with 1 if an error response is too large", async () => {
		const part = new Uint8Array(1024 * 1024).fill(32);
		fake.answer = () => {
			const body = new ReadableStream({ pull: (stream) => stream.enqueue(part) });
			return new Response(body, { status: 503 });
		};
		await bare.fails(1, ["watch"], "a response that is too large");
	});

	test("`watch` reconnects and resumes after the last event", async () => {
		fake.answer = () => {
			const id = fake.asked.length;
			const event = `retry: 50\nid: ${id}\nevent: agent.relaxing\ndata: {"id":"${id}"}\n\n`;
			const reset = `event: reset\ndata: {"cursor":"2"}\n\n`;
			if (id === 3) return new Response("", { status: 503 });
			return eventStream(id === 2 ? event + reset : event);
		};
		expect(await linesOf(bare.start(["watch"]), 4)).toEqual([
			{ id: "1" },
			{ id: "2" },
			{ type: "reset", cursor: "2" },
			{ id: "4" },
		]);
		expect(fake.asked.slice(0, 4).map(({ headers }) => headers["last-event-id"])).toEqual([
			undefined,
			"1",
			"2",
			"2",
		]);
	});
});

describe("the client", () => {
	const [, [name, program]] = wrappings;
	const bare = useHouse(program, fake);

	/** Runs a command until the server has received `calls` requests. Returns the stderr of the command. */
	async function runUntil(line: string, calls: number) {
		const child = bare.start(line.split(" "));
		await until(() => fake.asked.length >= calls);
		await Bun.sleep(200);
		child.kill();
		await child.exited;
		return new Response(child.stderr).text();
	}

	test("`watch` reports unknown ids once, and watches the known ones", async () => {
		const known = "00000000-0000-7000-8000-00000000000A";
		const unknown = "00000000-0000-7000-8000-000000000000";
		let watched = "";
		fake.answer = (request) => {
			if (!request.url.includes("/api/agents/status")) {
				watched = request.url;
				return stream();
			}
			const statuses = [{ id: known, status: "available" }];
			return Response.json({ ok: true, statuses, unknown: [unknown] });
		};
		expect(await runUntil(`watch ${known} ${unknown}`, 4)).toBe(
			`${name}: not found: ${unknown}; still watching the others\n`,
		);
		expect(watched).toEndWith(`/api/events?ids=${known}`);
		const targets = fake.asked.slice(0, 3).map(({ target }) => target);
		expect(targets).toEqual(["/api/agents/status", "/api/events", "/api/events"]);
	});

	test("`watch` reports the beginning and the end of each outage once", async () => {
		fake.answer = () => ([2, 3, 5].includes(fake.asked.length) ? unavailable() : stream());
		const outage = `${name}: Unavailable; retrying\n${name}: ${fake.url} is back\n`;
		expect(await runUntil("watch", 7)).toBe(outage + outage);
	});

	test.each([
		["watch", "a 429 response with a Retry-After of one year", 2, stream, busyForAYear],
		["wait x", "a 429 response with a Retry-After of one year", 2, relaxing, busyForAYear],
		["wait x", "a 503 response", 2, relaxing, unavailable],
		["watch", "the end of a stream that set no delay", 1, () => eventStream("id: 1\n\n"), unavailable],
	])("`%s` does not retry at once after %s", async (line, _, calls, ...answers) => {
		const [first, next] = answers;
		fake.answer = () => (fake.asked.length === 1 ? first() : next());
		await runUntil(line, calls);
		expect(fake.asked).toHaveLength(calls);
	});

	test("`watch` doubles the delay after each failure", async () => {
		fake.answer = () => (fake.asked.length === 1 ? eventStream("retry: 100\n\n") : unavailable());
		await runUntil("watch", 3);
		expect(fake.asked.length).toBeLessThan(6);
	});
});
