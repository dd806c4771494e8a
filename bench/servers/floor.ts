/**
 * A bare `Bun.serve` that does by hand what the contract requires for every answer: path lookup, `Host`,
 * request id, eight header fields, validator, and compression where the resort compresses. It repeats
 * recorded answers of the resort. Its processor time is a lower bound for that of the resort. Usage: floor.ts
 * FILE, where each line of FILE is a {@link RecordedAnswer} as JSON.
 */
import { readFileSync } from "node:fs";
import type { RecordedAnswer } from "../record-answers.ts";
import { serveReady } from "./ready.ts";

const [file = ""] = process.argv.slice(2);
const answers = new Map(
	readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line): [string, Prepared] => {
			const answer: RecordedAnswer = JSON.parse(line);
			return [answer.path, prepare(answer)];
		}),
);

interface Prepared {
	readonly body: string;
	readonly compressed: Uint8Array<ArrayBuffer>;
	readonly etag: string | null;
	readonly isCompressible: boolean;
	readonly headers: Readonly<Record<string, string>>;
}

function prepare({ body, headers }: RecordedAnswer): Prepared {
	return {
		body,
		compressed: Bun.gzipSync(body),
		etag: headers.etag ?? null,
		isCompressible: headers.vary?.includes("Accept-Encoding") ?? false,
		headers,
	};
}

const HOST = /^[\w.-]+(?::\d+)?$/;
const REQUEST_ID = /^[\w.-]{1,128}$/;

function answer({ url, headers: sent }: Request): Response {
	const found = answers.get(url.slice(url.indexOf("/", "http://".length)));
	if (found === undefined) {
		return Response.json({ error: "Not found" }, { status: 404 });
	}
	const host = sent.get("host");
	if (host === null || !HOST.test(host)) {
		return Response.json({ error: "Invalid Host" }, { status: 400 });
	}
	const sentId = sent.get("x-request-id");
	const id = sentId !== null && REQUEST_ID.test(sentId) ? sentId : Bun.randomUUIDv7();
	const { body, compressed, etag, isCompressible } = found;
	const headers: Record<string, string> = { ...found.headers, "x-request-id": id };
	if (etag !== null && sent.get("if-none-match") === etag) {
		return new Response(null, { status: 304, headers });
	}
	if (isCompressible && sent.get("accept-encoding")?.includes("gzip")) {
		headers["content-encoding"] = "gzip";
		return new Response(compressed, { headers });
	}
	return new Response(body, { headers });
}

serveReady(answer);
