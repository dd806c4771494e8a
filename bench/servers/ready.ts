import { writeSync } from "node:fs";
import type { Server } from "bun";

/** Says where a server is, as the resort does it: not by process.stdout, which takes milliseconds to load. */
export function tellReady(server: Server<undefined>): void {
	writeSync(1, `${JSON.stringify({ url: server.url.origin })}\n`);
}
