import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { weightOf } from "../lib/weights.ts";

const gzip = promisify(gzipWithCallback);

/** A content coding (RFC 9110, 8.4.1); `identity` is none. */
export type Coding = "identity" | "zstd" | "gzip";

/** The codings that are offered, the best first. */
const offered = ["zstd", "gzip"] as const;

/** Smaller bodies are not compressed: it would save less than a packet. */
export const COMPRESSED_FROM_BYTES = 1024;

/** Larger bodies are compressed on another thread, which costs some 50 us by itself. */
const THREADED_FROM_BYTES = 64 * 1024;

/**
 * The coding for a request.
 * @param header its `Accept-Encoding` field (RFC 9110, 12.5.3); null when there is none
 */
export function chooseCoding(header: string | null): Coding {
	if (header === null) return "identity";
	// `identity` that weighs more is preferred to being compressed.
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

/** Compresses a body; a large one does not hold up the event loop. */
export async function compress(
	bytes: Uint8Array<ArrayBuffer>,
	coding: Exclude<Coding, "identity">,
): Promise<Uint8Array<ArrayBuffer>> {
	const isLarge = bytes.length >= THREADED_FROM_BYTES;
	const compressed =
		coding === "zstd"
			? isLarge
				? await Bun.zstdCompress(bytes)
				: Bun.zstdCompressSync(bytes)
			: isLarge
				? await gzip(bytes)
				: Bun.gzipSync(bytes);
	return new Uint8Array(compressed);
}
