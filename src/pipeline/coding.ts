import { promisify } from "node:util";
import { weightOf } from "../lib/weights.ts";

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
		const bytes = await content.bytes();
		return new Blob([
			coding === "zstd" ? await Bun.zstdCompress(bytes) : await gzip(bytes),
		]);
	}
	return new Uint8Array(
		coding === "zstd" ? Bun.zstdCompressSync(content) : Bun.gzipSync(content),
	);
}

async function gzip(
	bytes: Uint8Array<ArrayBuffer>,
): Promise<Buffer<ArrayBuffer>> {
	// Imported at the first use: importing it takes as long as a fifth of a start.
	const zlib = await import("node:zlib");
	return promisify(zlib.gzip)(bytes);
}
