/**
 * The lowest port for servers of tests. The system takes the ports of outgoing connections from a higher
 * range, so the port of a stopped server stays free until the server is started again.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** Returns a free port at 127.0.0.1 for a server that is stopped and started again. */
export async function steadyPort(): Promise<number> {
	for (;;) {
		const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
		if (!(await isTaken(port))) return port;
	}
}

/** Returns whether a server listens on a port at 127.0.0.1. */
export async function isTaken(port: number): Promise<boolean> {
	try {
		const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
		socket.terminate();
		return true;
	} catch {
		return false;
	}
}
