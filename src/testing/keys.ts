import { createHash, randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** Fixtures whose agents all have a key, and these keys by the agents' ids. */
export interface Keyed {
	readonly fixtures: object;
	readonly keys: Readonly<Record<string, string>>;
}

/**
 * Gives each agent of some fixtures a key, where it has none: a resort tells the keys that it draws to nobody. What is
 * wrong with the fixtures is left for the resort to tell.
 * @param seed the same number makes the same keys; drawn when left out
 */
export function withKeys(fixtures: object, seed: number | undefined): Keyed {
	const { agents } = fixtures as { readonly agents?: unknown };
	if (!Array.isArray(agents)) return { fixtures, keys: {} };
	const source =
		seed === undefined ? randomBytes(32).toString("hex") : String(seed);
	const keys: Record<string, string> = {};
	const keyed = agents.map((agent: unknown) => {
		const { id, apiKey } = Object(agent) as { id?: unknown; apiKey?: unknown };
		if (typeof id !== "string") return agent;
		const key = typeof apiKey === "string" ? apiKey : keyOf(source, id);
		keys[id.toLowerCase()] = key;
		return { ...Object(agent), apiKey: key };
	});
	return { fixtures: { ...fixtures, agents: keyed }, keys };
}

/** A key as a resort makes them: `ar_`, its id, its secret and a checksum of all that stands before. */
function keyOf(source: string, agentId: string): string {
	const bytes = createHash("sha512").update(`${source} ${agentId}`).digest();
	const drawn = Array.from(bytes, (byte) => DIGITS[byte % DIGITS.length]).join(
		"",
	);
	const unchecked = `ar_${drawn.slice(0, KEY_ID_LENGTH)}_${drawn.slice(KEY_ID_LENGTH, KEY_ID_LENGTH + SECRET_LENGTH)}`;
	let rest = crc32(unchecked);
	let checksum = "";
	for (let place = 0; place < CHECKSUM_LENGTH; place++) {
		checksum = DIGITS.charAt(rest % DIGITS.length) + checksum;
		rest = Math.floor(rest / DIGITS.length);
	}
	return unchecked + checksum;
}

/** CRC-32 (ISO 3309) of a text; `node:zlib` has it only in later versions of Node 20. */
function crc32(text: string): number {
	let crc = 0xffff_ffff;
	for (const byte of Buffer.from(text)) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) {
			crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
		}
	}
	return (crc ^ 0xffff_ffff) >>> 0;
}
