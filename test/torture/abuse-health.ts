/**
 * Asks for health in a process of its own: `bun test/torture/abuse-health.ts PORT SECONDS PAUSE_MS`. Prints how long
 * it took, in milliseconds: `{"calls":n,"p50":ms,"p99":ms,"longest":ms}`. Without a pause it asks again at once, so
 * that the longest answer tells for how long nobody was answered.
 */
import { Connection } from "../support/connection.ts";
import { percentile } from "./figures.ts";

const [port = 0, seconds = 0, pauseMs = 0] = process.argv.slice(2).map(Number);
const connection = new Connection(port);
const tookMs: number[] = [];
const endMs = performance.now() + seconds * 1_000;
while (performance.now() < endMs) {
	const startedMs = performance.now();
	await connection.ask("GET /api/health HTTP/1.1\r\nHost: resort.test\r\n\r\n");
	tookMs.push(performance.now() - startedMs);
	if (pauseMs > 0) await Bun.sleep(pauseMs);
}
connection.destroy();
const [p50, p99, longest] = [0.5, 0.99, 1].map((share) =>
	percentile(tookMs, share),
);
process.stdout.write(
	JSON.stringify({ calls: tookMs.length, p50, p99, longest }),
);
