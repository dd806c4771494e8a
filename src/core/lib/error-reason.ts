import { getSystemErrorMap } from "node:util";
import { once } from "./once.ts";

/** The operating system's error messages, by error code, such as `ENOENT`. */
const systemMessages = once(() => new Map(getSystemErrorMap().values()));

/** Returns the code of an error of the operating system or of SQLite; an empty string for other errors. */
export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Returns the reason for a failure. Omits the path and the system call of an operating system's error. */
export function reasonOf(error: unknown): string {
	const code = codeOf(error);
	const message = systemMessages().get(code);
	return message === undefined ? messageOf(error) : `${message} (${code})`;
}
