import { Elysia } from "elysia";
import { ResortError } from "../lib/resort-error.ts";

/** The largest body that is read, in bytes (decisions 2). */
export const MAX_BODY_BYTES = 64 * 1024;

/** How far a body is read whose digest is taken: that it is too large is told to known callers only. */
const MAX_DIGESTED_BYTES = 1024 * 1024;

const digests = new WeakMap<Request, Uint8Array>();
const NO_BODY: Uint8Array = new Bun.CryptoHasher("sha256").digest();

/** How deep the values of a body lie at most: the items of a list in a group of settings. */
const MAX_DEPTH = 3;

/** What is told of a body that cannot be judged. */
const faults = {
	malformed: () => new ResortError("invalid", "Body is not valid JSON"),
	"not an object": () =>
		new ResortError("invalid", "Body must be a JSON object"),
	"not JSON": () =>
		new ResortError("invalid", "Body must be JSON", {
			hint: "Send the header Content-Type: application/json.",
		}),
	"too large": () =>
		new ResortError("too_large", "Body must be at most 64 KiB"),
};

/** Why a body cannot be judged; it stands in the body's place until the caller is known. */
type BodyFault = keyof typeof faults;

/**
 * Parses every body. It never throws, because a wrong body must not be told before a wrong credential
 * (decisions 2): a fault is handed on as a string, and {@link refuseFault} tells it after authentication.
 * @param isDigested whether the digest of a request's body will be asked for
 */
export const bodyParser = (isDigested: (headers: Headers) => boolean) =>
	new Elysia({ name: "body" }).onParse({ as: "global" }, ({ request }) =>
		request.body === null
			? {}
			: parseBody(request, request.body, isDigested(request.headers)),
	);

/**
 * SHA-256 of the raw body of a request whose digest was to be taken. Of a body over 1 MiB, or one that broke
 * off, it is that of a part, and so fits no digest that its sender made.
 * @returns null for the body of a GET or HEAD request, which cannot be read
 */
export function bodyDigest(request: Request): Uint8Array | null {
	const digest = digests.get(request);
	if (digest !== undefined) return digest;
	const length = Number(request.headers.get("content-length") ?? 0);
	const hasBody = length !== 0 || request.headers.has("transfer-encoding");
	return hasBody ? null : NO_BODY;
}

/**
 * Tells what is wrong with a body, once the caller is known and before the body is validated: the
 * validator would take any value for an object without required fields.
 * @param body what the parser made of it
 * @throws ResortError `invalid` or `too_large`
 */
export function refuseFault(body: unknown): void {
	if (typeof body === "string") throw faults[body as BodyFault]();
}

/** @returns the body's object with its strings trimmed, `{}` for an empty one, or what is wrong with it */
async function parseBody(
	request: Request,
	body: ReadableStream<Uint8Array>,
	isDigested: boolean,
): Promise<object | BodyFault> {
	const hasher = isDigested ? new Bun.CryptoHasher("sha256") : null;
	const text = await readText(request, body, hasher);
	if (hasher !== null) digests.set(request, hasher.digest());
	if (text === null) return "too large";
	if (text === "") return {};
	if (!isJson(request.headers.get("content-type"))) return "not JSON";
	if (text === undefined) return "malformed";
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value !== "object" || value === null || Array.isArray(value)) {
			return "not an object";
		}
		return trimStrings(value, MAX_DEPTH) as object;
	} catch {
		return "malformed";
	}
}

/** @returns null for a body that is too large, undefined for one that is no UTF-8 or broke off */
async function readText(
	request: Request,
	body: ReadableStream<Uint8Array>,
	hasher: Bun.CryptoHasher | null,
): Promise<string | null | undefined> {
	const declared = request.headers.get("content-length");
	const isWhole = declared !== null && hasher === null;
	if (isWhole && Number(declared) > MAX_BODY_BYTES) return null;
	try {
		const bytes = isWhole
			? await request.bytes()
			: await readChunks(body, hasher);
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return null;
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/**
 * Reads a body of undeclared length, or one whose digest is taken, and stops as soon as it is too large.
 * @returns null when it is
 */
async function readChunks(
	body: ReadableStream<Uint8Array>,
	hasher: Bun.CryptoHasher | null,
): Promise<Uint8Array | null> {
	const most = hasher === null ? MAX_BODY_BYTES : MAX_DIGESTED_BYTES;
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > most) return null;
		hasher?.update(chunk);
		if (length <= MAX_BODY_BYTES) chunks.push(chunk);
	}
	return length > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}

function isJson(contentType: string | null): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return type === "application/json" || /^application\/[^/]+\+json$/.test(type);
}

/**
 * Trims every string but `apiKey` (decisions 8, "Strings"), and cuts off what lies deeper than any field:
 * nothing reads it, and what walks through a body must not be made to walk far.
 * @param depth how deep the values lie at most
 */
export function trimStrings(value: unknown, depth: number): unknown {
	if (typeof value === "string") return value.trim();
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) {
		return depth === 0 ? [] : value.map((item) => trimStrings(item, depth - 1));
	}
	if (depth === 0) return {};
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [
			name,
			name === "apiKey" && typeof field === "string"
				? field
				: trimStrings(field, depth - 1),
		]),
	);
}
