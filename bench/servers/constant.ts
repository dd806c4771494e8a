/** A bare `Bun.serve` with a short constant answer: the minimum work of a compiled server at its start. */
import { serveReady } from "./ready.ts";

const headers = { "content-type": "application/json" };

serveReady(() => new Response('{"ok":true,"status":"ok"}', { headers }));
