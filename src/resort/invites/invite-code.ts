import { sha256 } from "../../lib/credential.ts";
import type { Random } from "../../lib/random.ts";

/**
 * Codes of invitations are readable aloud: five words of five letters, such as `lusab-babad-gutih-tugad-fidod`, each of
 * 16 bits (proquints, https://arxiv.org/abs/0901.4016). The first word identifies the code; the 64 bits of the
 * other four are secret. They suffice, because registration is limited by address.
 */
const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aiou";
const WORDS = 5;

/** Creates a code, which is not stored, with its first word and its hash, which are. */
export function createCode(random: Random) {
	const bytes = random.bytes(2 * WORDS);
	const words = Array.from({ length: WORDS }, (_, at) =>
		wordOf(((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)),
	);
	const code = words.join("-");
	return { code, label: words[0] ?? "", codeHash: hashOf(code) };
}

/** Returns the canonical form of a code, which may have blanks and capital letters. */
export function hashOf(code: string): Uint8Array {
	return sha256(
		code
			.trim()
			.toLowerCase()
			.replace(/[\s_-]+/g, "-"),
	);
}

function wordOf(bits: number): string {
	const consonant = (shift: number) => CONSONANTS[(bits >> shift) & 15];
	const vowel = (shift: number) => VOWELS[(bits >> shift) & 3];
	return [consonant(12), vowel(10), consonant(6), vowel(4), consonant(0)].join(
		"",
	);
}
