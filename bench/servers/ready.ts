import { writeSync } from "node:fs";
import type { Server } from "bun";

/**
 * Prints the address of a server as the resort does: without process.stdout, which takes milliseconds to
 * load.
 */
export function printReady(server: Server<undefined>): void {
	writeSync(1, `${JSON.stringify({ url: server.url.origin })}\n`);
}

/** Serves on any free port of this machine, and prints the address. */
export function serveReady(fetch: (request: Request) => Response | Promise<Response>): void {
	printReady(Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch }));
}
