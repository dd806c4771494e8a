import { readFileSync } from "node:fs";

/**
 * Returns the name of this process's user in /etc/passwd. Bun's `userInfo()` cannot be used, because it
 * returns the value of the environment variable `USER`.
 * @returns undefined if the user is not in the file, as in containers that run under an arbitrary user id
 */
export function nameInPasswd(): string | undefined {
	try {
		return readFileSync("/etc/passwd", "utf8")
			.split("\n")
			.map((line) => line.split(":"))
			.find(([, , id]) => id === `${process.geteuid?.()}`)?.[0];
	} catch {
		return undefined;
	}
}
