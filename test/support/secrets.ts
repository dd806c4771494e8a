/** Matches a key or a session token. Ignores the keys of examples, whose ids repeat one letter. */
const SECRET =
	/\bar_(?!([0-9A-Za-z])\1{11})[0-9A-Za-z]{12}_[0-9A-Za-z]{49}|\bai_[\w+/=.~-]{7,}|(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])/g;

/** Requires that a program printed no credential. It recognizes credentials by their format. */
export function requireNoSecrets(output: string): void {
	const [secret] = output.match(SECRET) ?? [];
	if (secret === undefined) return;
	const line = output.split("\n").find((one) => one.includes(secret)) ?? "";
	throw new Error(`a credential was written: ${line.replaceAll(SECRET, "<credential>").slice(0, 1_000)}`);
}
