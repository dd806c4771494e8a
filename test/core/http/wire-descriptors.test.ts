import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { serve, sources, warningsIn } from "../../support/executable.ts";
import { processorMs } from "../../support/processes.ts";
import { linux } from "../../support/requirements.ts";
import { until } from "../../support/until.ts";

/** The number of files that the server may open. */
const MAX_FILES = 128;
/** The number of connections to the server: more than it can open. */
const CONNECTIONS = 300;

const TIMEOUT_MS = 90_000;

/** A command prefix that limits the file descriptors of a program. */
const withFewFiles = ["sh", "-c", `ulimit -n ${MAX_FILES}; exec "$@"`, "sh"];

function hold(port: number): Promise<Socket | null> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => resolve(socket));
		socket.on("error", () => resolve(null));
	});
}

test.skipIf(linux.isMissing)(
	`at its limit of open files, the server uses little processor time, and closes idle connections to accept new ones${linux.note}`,
	async () => {
		const server = await serve(["serve", "--ephemeral"], {
			cwd: "/",
			program: sources,
			before: withFewFiles,
		});
		// Makes the server load its modules now, because it cannot open them at the limit of open files.
		await server.send("GET", "/api/activities");
		const held = await Promise.all(Array.from({ length: CONNECTIONS }, () => hold(server.port)));
		const isRefused = async () => {
			const socket = await hold(server.port);
			held.push(socket);
			return socket === null;
		};
		await until(isRefused);
		const beforeMs = processorMs(server.pid);
		await Bun.sleep(1_000);
		expect(processorMs(server.pid) - beforeMs).toBeLessThan(500);
		for (const socket of held) socket?.destroy();

		let answered = 0;
		let isOver = false;
		const sockets: Socket[] = [];
		// Each client tries again until it has a response, and then keeps its connection.
		const ask = () => {
			let isAnswered = false;
			const socket = connect(server.port, "127.0.0.1", () => {
				socket.write("GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n");
			});
			socket.once("data", () => {
				isAnswered = true;
				answered++;
			});
			socket.on("error", () => {});
			socket.on("close", () => {
				if (!isAnswered && !isOver) setTimeout(ask, 100);
			});
			sockets.push(socket);
		};
		for (let at = 0; at < CONNECTIONS; at++) ask();
		await until(() => answered === CONNECTIONS);
		isOver = true;
		for (const socket of sockets) socket.destroy();
		const lines = warningsIn(await server.stop());
		expect(lines).not.toBeEmpty();
		for (const line of lines) {
			expect(line).toContain("connections refused: too many open files");
		}
	},
	TIMEOUT_MS,
);
