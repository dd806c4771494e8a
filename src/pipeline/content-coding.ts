import { promisify } from "node:util";
import { weightOf } from "../lib/weights.ts";

/** A content coding (RFC 9110, 8.4.1); `identity` is no coding. */
export type Coding = "identity" | Compression;

/** A coding that compresses. */
export type Compression = "zstd" | "gzip";

/** What the runtime writes as a body. */
export type Content = string | Blob | Uint8Array<ArrayBuffer>;

/** The offered codings, the best first. */
const offered = ["zstd", "gzip"] as const;

/** Compressing smaller bodies would save less than a packet. */
export const COMPRESSED_FROM_BYTES = 1024;

/**
 * Selects the coding for a request.
 * @param header its `Accept-Encoding` field (RFC 9110, 12.5.3); null if there is none
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	// A client that gives `identity` more weight prefers no compression.
	const least = weightOf(header, ["identity"]);
	let chosen: Coding = "identity";
	let weight = 0;
	for (const coding of offered) {
		const offeredWeight = weightOf(header, [coding, "*"]);
		if (offeredWeight > weight && offeredWeight >= least) {
			chosen = coding;
			weight = offeredWeight;
		}
	}
	return chosen;
}

/** Compresses a body; a large one, which is a Blob, on another thread. */
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
	// Loading it takes as long as a fifth of a start.
	const zlib = await import("node:zlib");
	return promisify(zlib.gzip)(bytes);
}
