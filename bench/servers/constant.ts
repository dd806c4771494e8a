/** Bare `Bun.serve` with a short constant answer: the least that a compiled server does at its start. */
import { serveReady } from "./ready.ts";

const headers = { "content-type": "application/json" };

serveReady(() => new Response('{"ok":true,"status":"ok"}', { headers }));
