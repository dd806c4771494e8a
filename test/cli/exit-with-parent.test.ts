import { expect, test } from "bun:test";
import { connect } from "node:net";
import { SECOND_MS } from "../../src/core/lib/clock.ts";
import { executable } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

const flags = ["--ephemeral", "--exit-with-parent", "--log-level", "warning"];

async function firstLine(stream: ReadableStream<Uint8Array>) {
	for await (const chunk of stream) {
		return JSON.parse(new TextDecoder().decode(chunk).split("\n")[0] ?? "");
	}
}

test("resort serve --exit-with-parent exits with 0 within a second after stdin is closed, even with open requests", async () => {
	const child = Bun.spawn([executable, "serve", ...flags], { cwd, env: {}, stdio: ["pipe", "pipe", "pipe"] });
	const { url } = await firstLine(child.stdout);
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
	// This response shows that the instance has read the other requests.
	expect((await fetch(`${url}/api/health`)).status).toBe(200);
	const startedAt = performance.now();
	child.stdin.end();
	expect(await child.exited).toBe(0);
	expect(performance.now() - startedAt).toBeLessThan(SECOND_MS);
	expect(await new Response(child.stderr).text()).toBe("");
	for (const socket of sockets) socket.destroy();
});

test.each(["< /dev/null", "<&-", "< resort.json"])(
	"resort serve --exit-with-parent refuses a stdin that is not a pipe: %s",
	async (stdin) => {
		await Bun.write(`${cwd}/resort.json`, "{}");
		const line = `exec "$0" serve ${flags.join(" ")} ${stdin}`;
		const { exitCode, stderr } = await folder.shell(line);
		expect(exitCode).toBe(2);
		expect(stderr).toMatch(/^resort: --exit-with-parent: stdin must be a pipe/);
	},
);
