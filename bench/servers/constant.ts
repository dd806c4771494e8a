/**
 * Bare `Bun.serve` with a constant answer: what the runtime can do at all.
 * Usage: constant.ts [FILE CONTENT-TYPE]; without them the answer is a short one of its own.
 */
import { readFileSync } from "node:fs";
import { tellReady } from "./ready.ts";

const [file, type = "application/json"] = process.argv.slice(2);
const body =
	file === undefined ? '{"ok":true,"status":"ok"}' : readFileSync(file, "utf8");
const headers = { "content-type": type };

tellReady(
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		development: false,
		fetch: () => new Response(body, { headers }),
	}),
);
