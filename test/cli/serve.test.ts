import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { version } from "../../package.json";
import { SECOND_MS } from "../../src/core/lib/clock.ts";
import { linesOf } from "../core/server/log-of.ts";
import { executable, type Serving } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { toolPath } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { exchange } from "../support/wire.ts";

const folder = useFreshFolder();

describe("resort serve", () => {
	test("with `--ephemeral` prints only the ready line on stdout, creates no file, and serves `/social.png`", async () => {
		const resort = await folder.serve(["serve", "--ephemeral"]);
		const { url, pid } = resort;
		const picture = await fetch(`${url}/social.png`);
		expect(picture.headers.get("content-type")).toBe("image/png");
		expect((await picture.bytes()).length).toBeGreaterThan(20_000);
		const { stdout, stderr, exitCode } = await resort.stop();
		expect(JSON.parse(stdout)).toEqual({ url, pid, version });
		expect(stdout.trimEnd().split("\n")).toHaveLength(1);
		expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		for (const line of linesOf(stderr)) expect(line).toBeObject();
		expect(exitCode).toBe(0);
		expect(readdirSync(folder.path)).toEqual([]);
	});

	test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
		"accepts no new connection after %s, and exits with 0 as soon as the requests in flight are complete",
		async (signal) => {
			const resort = await folder.serve(["--ephemeral"]);
			const slow = await slowRequest(resort);
			const startedAt = performance.now();
			const stopped = resort.stop(signal);
			const health = () => fetch(`${resort.url}/api/health`).catch(() => null);
			await until(async () => (await health()) === null);
			expect(await slow.finish()).toStartWith("HTTP/1.1 201");
			expect((await stopped).exitCode).toBe(0);
			expect(performance.now() - startedAt).toBeLessThan(8_000);
		},
	);

	test("continues after SIGHUP if nohup has started it", async () => {
		const before = [toolPath("nohup") ?? "nohup"];
		const resort = await folder.serve(["--ephemeral"], { before });
		process.kill(resort.pid, "SIGHUP");
		for (let times = 0; times < 10; times++) await resort.send("GET", "/api/health");
		const { exitCode, stderr } = await resort.stop();
		expect(exitCode).toBe(0);
		expect(linesOf(stderr, "stopping")).toHaveLength(1);
	});

	test("answers pipelined requests in order, and logs each of them", async () => {
		const resort = await folder.serve(["--ephemeral"]);
		const ids = Array.from({ length: 20 }, (_, at) => `request-${at}`);
		const request = (id: string) =>
			`GET /api/health HTTP/1.1\r\nHost: resort.test\r\nX-Request-Id: ${id}\r\n\r\n`;
		const [answers, ...statuses] = await Promise.all([
			exchange(resort.port, { parts: [ids.map(request).join("")], answers: ids.length }),
			...ids.map(async () => (await fetch(`${resort.url}/api/health`)).status),
		]);
		const inOrder = answers.map(({ head }) => /^x-request-id: (.*?)\r$/im.exec(head)?.[1]);
		const { stderr } = await resort.stop();
		expect(inOrder).toEqual(ids);
		expect(statuses).toEqual(ids.map(() => 200));
		expect(linesOf(stderr, "request")).toHaveLength(2 * ids.length);
	});

	test("ignores .env and bunfig.toml in the current folder", async () => {
		folder.write("RESORT_PORT=nonsense\n", ".env");
		folder.write('preload = ["./x.ts"]\n', "bunfig.toml");
		const resort = await folder.serve(["--ephemeral"]);
		expect((await resort.stop()).exitCode).toBe(0);
	});

	test("exits with 1 if the port is in use, and creates no database", async () => {
		await using first = await folder.serve(["--ephemeral"]);
		const args = ["--port", `${first.port}`, "--database", "b.sqlite"];
		await folder.refuse(args, /port is in use\n$/, 1);
		expect(readdirSync(folder.path)).toEqual([]);
	});

	test("exits with 1 if `--host` is an address of another machine", async () => {
		const args = ["--ephemeral", "--host", "192.0.2.1"];
		await folder.refuse(args, / --host 192\.0\.2\.1 .* \(E[A-Z]+\)\n$/, 1);
	});
});

describe("`resort serve --exit-with-parent`", () => {
	const flags = ["--ephemeral", "--exit-with-parent", "--log-level", "warning"];

	test("exits with 0 within a second after stdin is closed, even with open requests", async () => {
		const place = { cwd: folder.path, env: {} };
		const child = Bun.spawn([executable, "serve", ...flags], { ...place, stdio: ["pipe", "pipe", "pipe"] });
		const { value } = await child.stdout.getReader().read();
		const { url } = JSON.parse(new TextDecoder().decode(value));
		child.stdin.write("hello\n");
		await child.stdin.flush();
		const heads = [
			"POST /api/agents HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
			"GET /api/events?wait=60 HTTP/1.1\r\nHost: a\r\n\r\n",
			"GET /api/events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n",
			"GET /api/health HTTP/1.1\r\nHost",
		];
		const sockets = heads.map((head) => {
			const socket = connect(Number(new URL(url).port), "127.0.0.1");
			socket.on("error", () => {});
			socket.write(head);
			return socket;
		});
		// The requests above were sent earlier, so this response shows that the instance has read them.
		expect((await fetch(`${url}/api/health`)).status).toBe(200);
		const startedAt = performance.now();
		child.stdin.end();
		expect(await child.exited).toBe(0);
		expect(performance.now() - startedAt).toBeLessThan(SECOND_MS);
		expect(await new Response(child.stderr).text()).toBe("");
		for (const socket of sockets) socket.destroy();
	});

	test.each(["< /dev/null", "<&-", "< resort.json"])(
		"refuses a stdin that is not a pipe (in the shell: `%s`)",
		async (stdin) => {
			folder.write("{}", "resort.json");
			const line = `exec "$0" serve ${flags.join(" ")} ${stdin}`;
			const { exitCode, stderr } = await folder.shell(line);
			expect(exitCode).toBe(2);
			expect(stderr).toMatch(/^resort: --exit-with-parent: stdin must be a pipe/);
		},
	);
});

/** Sends half of the body of a registration. `finish` sends the rest, and returns the response. */
async function slowRequest({ port }: Serving): Promise<{ finish(): Promise<string> }> {
	const socket = connect(port, "127.0.0.1");
	const chunks = socket[Symbol.asyncIterator]();
	const read = async () => String((await chunks.next()).value);
	const body = '{"name":"Ada"}';
	// Both requests arrive together, so the server has read the second one when it answers the first one.
	socket.write(
		"GET /api/health HTTP/1.1\r\nHost: resort.test\r\n\r\n" +
			"POST /api/agents HTTP/1.1\r\nHost: resort.test\r\nContent-Type: application/json\r\n" +
			`Content-Length: ${body.length}\r\n\r\n${body.slice(0, 7)}`,
	);
	expect(await read()).toStartWith("HTTP/1.1 200");
	return {
		finish() {
			socket.write(body.slice(7));
			return read();
		},
	};
}
