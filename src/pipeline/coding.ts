import { weightOf } from "../lib/weights.ts";
import { Turns } from "./turns.ts";

/** A content coding (RFC 9110, 8.4.1); `identity` means no coding. */
export type Coding = "identity" | Compression;

/** A coding that compresses. */
export type Compression = "zstd" | "gzip";

/** What a response is made of. */
export type Content = string | Blob | Uint8Array<ArrayBuffer>;

/** The codings that are offered, the best first. */
const offered = ["zstd", "gzip"] as const;

/** Smaller bodies are not compressed: it would save less than a packet. */
export const COMPRESSED_FROM_BYTES = 1024;

/** How much of a large body is handed to the other thread at once. */
const PIECE_BYTES = 256 * 1024;

/** One large body at a time is compressed, so that a processor is left for those who ask. */
const turns = new Turns();

/**
 * The coding for a request.
 * @param header its `Accept-Encoding` field (RFC 9110, 12.5.3); null when there is none
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	// Whoever gives `identity` more weight prefers no compression.
	const least = weightOf(header, ["identity"]);
	let chosen: Coding = "identity";
	let weight = 0;
	for (const coding of offered) {
		const wanted = weightOf(header, [coding, "*"]);
		if (wanted > weight && wanted >= least) {
			chosen = coding;
			weight = wanted;
		}
	}
	return chosen;
}

/** Compresses a body; a large one, a Blob, does not hold up the event loop. */
export async function compress(
	content: Content,
	coding: Compression,
): Promise<Content> {
	if (content instanceof Blob) {
		return turns.take(() => compressInPieces(content, coding));
	}
	return new Uint8Array(
		coding === "zstd" ? Bun.zstdCompressSync(content) : Bun.gzipSync(content),
	);
}

async function compressInPieces(
	content: Blob,
	coding: Compression,
): Promise<Blob> {
	// Imported at the first use: importing them takes as long as a fifth of a start.
	const { finished } = await import("node:stream/promises");
	const { createGzip, createZstdCompress } = await import("node:zlib");
	const stream = coding === "zstd" ? createZstdCompress() : createGzip();
	const parts: Buffer<ArrayBuffer>[] = [];
	stream.on("data", (part) => parts.push(part));
	const ended = finished(stream);
	for (let at = 0; at < content.size; at += PIECE_BYTES) {
		const piece = await content.slice(at, at + PIECE_BYTES).bytes();
		// Raced, because nothing more is taken once the stream has failed.
		const taken = Promise.withResolvers<void>();
		stream.write(piece, () => taken.resolve());
		await Promise.race([taken.promise, ended]);
	}
	stream.end();
	await ended;
	return new Blob(parts);
}
