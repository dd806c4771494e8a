/** Bare `Bun.serve` with a short constant answer: the least that a compiled server does at its start. */
import { printReady } from "./ready.ts";

const headers = { "content-type": "application/json" };

printReady(
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		development: false,
		fetch: () => new Response('{"ok":true,"status":"ok"}', { headers }),
	}),
);
