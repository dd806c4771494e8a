import { getSystemErrorMap } from "node:util";
import { once } from "./once.ts";

/** The messages of the operating system by error code, such as `ENOENT`. */
const systemMessages = once(() => new Map(getSystemErrorMap().values()));

/** Returns the code of an error of the operating system or of SQLite, or an empty string. */
export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Returns why something failed; for errors of the operating system without the path and the system call. */
export function reasonOf(error: unknown): string {
	const code = codeOf(error);
	const message = systemMessages().get(code);
	return message === undefined ? messageOf(error) : `${message} (${code})`;
}
