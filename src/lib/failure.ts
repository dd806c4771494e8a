/** What the codes of the operating system (errno(3)) mean, as the end of a sentence. */
const words: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EBUSY: "it is in use",
	ECONNRESET: "the connection was closed",
	EDQUOT: "the disk quota is used up",
	EISDIR: "it is a folder",
	ELOOP: "too many symbolic links",
	ENAMETOOLONG: "the name is too long",
	ENOENT: "no such file or folder",
	ENOSPC: "no room is left on the disk",
	ENOTDIR: "a part of the path is no folder",
	EPERM: "the operation is not permitted",
	EPIPE: "nobody reads it any more",
	EROFS: "the file system is read-only",
};

/** The code of a failure of the operating system or of SQLite; empty when it has none. */
export function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** What a failure says by itself. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/**
 * Why something failed, in words for a person; for common failures of the operating system without path and call.
 */
export function reasonOf(error: unknown): string {
	const code = codeOf(error);
	if (Object.hasOwn(words, code)) return `${words[code]} (${code})`;
	return messageOf(error);
}
