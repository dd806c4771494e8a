import { sha256 } from "../../core/lib/credential.ts";
import { codePoints, isBlank, withoutInvisible } from "../../core/lib/text.ts";

const MIN_LENGTH = 2;
const MAX_LENGTH = 100;

/**
 * Derives the name of an agent from its username at the provider. Removes control characters, lone surrogates
 * and invisible characters, collapses white space, and truncates to 100 code points.
 * @param username null if the provider sent no username, which is always so for a signed call
 * @returns 2 to 100 code points. If the username has fewer than 2 code points left, or only blank ones, the
 * result is `Guest ` and 8 hexadecimal digits of the subject's SHA-256 hash
 */
export function toAgentName(username: string | null, subject: string): string {
	const printable = (username ?? "").replace(/(?!\s)[\p{Cc}\p{Cs}]/gu, "");
	const clean = withoutInvisible(printable.replace(/\s/g, " ")).replace(/ +/g, " ").trim();
	const cut = [...clean].slice(0, MAX_LENGTH).join("");
	// Truncation may have cut a flag emoji, whose remaining tag characters are invisible.
	const name = withoutInvisible(cut).trimEnd();
	if (codePoints(name) >= MIN_LENGTH && !isBlank(name)) return name;
	return `Guest ${sha256(subject).toHex().slice(0, 8)}`;
}
