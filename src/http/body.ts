import { Elysia } from "elysia";

/** The largest body that is read, in bytes (decisions 2). */
export const MAX_BODY_BYTES = 64 * 1024;

/** How deep the strings of a body lie at most: a list inside a group of settings. */
const MAX_TRIM_DEPTH = 3;

/** Why a body cannot be judged; it stands in the body's place until the caller is known. */
export type BodyFault =
	| "malformed"
	| "not an object"
	| "not JSON"
	| "too large";

/**
 * Parses every body. It never throws, because a wrong body must not be told before a wrong credential
 * (decisions 2): a fault is handed on as a string, which no model takes, and is told after authentication.
 */
export const bodyParser = new Elysia({ name: "body" }).onParse(
	{ as: "global" },
	({ request }) => parseBody(request),
);

/** @returns the body's object with its strings trimmed, `{}` for no body, or what is wrong with it */
async function parseBody(request: Request): Promise<object | BodyFault> {
	const text = await readText(request);
	if (text === null) return "too large";
	if (text === "") return {};
	if (!isJson(request.headers.get("content-type"))) return "not JSON";
	if (text === undefined) return "malformed";
	try {
		const body: unknown = JSON.parse(text);
		if (typeof body !== "object" || body === null || Array.isArray(body)) {
			return "not an object";
		}
		return trimStrings(body, MAX_TRIM_DEPTH) as object;
	} catch {
		return "malformed";
	}
}

/** @returns null for a body that is too large, undefined for one that is no UTF-8 or broke off */
async function readText(request: Request): Promise<string | null | undefined> {
	if (request.body === null) return "";
	const declared = request.headers.get("content-length");
	if (declared !== null && Number(declared) > MAX_BODY_BYTES) return null;
	try {
		const bytes =
			declared === null
				? await readChunks(request.body)
				: await request.bytes();
		if (bytes === null || bytes.length > MAX_BODY_BYTES) return null;
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** Reads a body of undeclared length, and stops as soon as it is too large. */
async function readChunks(
	body: ReadableStream<Uint8Array>,
): Promise<Uint8Array | null> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > MAX_BODY_BYTES) return null;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

function isJson(contentType: string | null): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return type === "application/json" || /^application\/[^/]+\+json$/.test(type);
}

/** Trims every string but `apiKey` (decisions 8, "Strings"). */
function trimStrings(value: unknown, depth: number): unknown {
	if (typeof value === "string") return value.trim();
	if (typeof value !== "object" || value === null || depth === 0) return value;
	if (Array.isArray(value)) {
		return value.map((item) => trimStrings(item, depth - 1));
	}
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [
			name,
			name === "apiKey" ? field : trimStrings(field, depth - 1),
		]),
	);
}
