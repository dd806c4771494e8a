/** The configuration file: a JSON object with apiKey, agentId and apiUrl, readable only by its owner. */
import { randomUUID } from "node:crypto";
import {
	chmodSync,
	linkSync,
	lstatSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { codeOf, reasonOf } from "../core/lib/error-reason.ts";
import { clean } from "../core/lib/readable-text.ts";
import { parseObject } from "../core/lib/record.ts";
import { Failure } from "./client-failure.ts";

/** The content of the file. */
export interface Stored {
	readonly apiKey: string;
	readonly agentId: string;
	/** The address of the resort. The key is sent only to this origin. */
	readonly apiUrl: string;
}

const MAX_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** The number of bytes written to check that the disk is not full. */
const CHECKED_BYTES = 4 * 1024;

/**
 * Reads the file; `stored` is null if the file does not exist. Also returns whether other users of the
 * machine can read the file.
 * @throws Failure with exit code 1 if the file cannot be read or its content is invalid
 */
export function readStored(path: string): { readonly stored: Stored | null; readonly isShared: boolean } {
	try {
		const found = statSync(path);
		// Reads only regular files, because reading a pipe could block forever.
		if (!found.isFile()) throw new Error("it is not a file");
		if (found.size > MAX_BYTES) throw new Error("it is too large");
		const hasModes = process.platform !== "win32";
		const isShared = hasModes && (found.mode & OTHERS) !== 0;
		return { stored: parse(readFileSync(path, "utf8")), isShared };
	} catch (error) {
		if (codeOf(error) === "ENOENT") return { stored: null, isShared: false };
		throw new Failure(
			`${path} cannot be read: ${reasonOf(error)}`,
			1,
			"correct it, or remove it with logout; it was not changed",
		);
	}
}

/**
 * Parses the content of the file. The error message does not quote the content, because it may contain a key.
 */
function parse(text: string): Stored {
	const { apiKey, agentId, apiUrl, ...others } = parseObject(text) ?? {};
	const isWhole = isFilled(apiKey) && isFilled(agentId) && isFilled(apiUrl);
	const isAddress = isWhole && URL.canParse(apiUrl) && /^https?:$/.test(new URL(apiUrl).protocol);
	if (isAddress && Object.keys(others).length === 0) return { apiKey, agentId, apiUrl };
	throw new Error("it is not JSON with exactly apiKey, agentId and apiUrl (an address)");
}

function isFilled(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

/** Checks, before the resort creates a key, that the file can be written. @throws Failure with exit code 1 */
export function requireWritable(path: string): void {
	withTemporary(path, " ".repeat(CHECKED_BYTES), () => undefined);
}

/** Writes the file atomically, unless it belongs to another agent. @throws Failure with exit code 1 */
export function writeStored(path: string, stored: Stored): void {
	const { agentId, apiUrl } = stored;
	withTemporary(path, `${JSON.stringify(stored, null, 2)}\n`, (temporary, target) => {
		try {
			// Unlike a rename, a link never replaces a file, so exactly one of several processes succeeds.
			return linkSync(temporary, target);
		} catch {}
		const previous = readStored(path).stored;
		const isReplaceable =
			previous === null || (previous.agentId === agentId && isSameOrigin(previous.apiUrl, apiUrl));
		if (!isReplaceable) throw agentInUse(path, previous);
		renameSync(temporary, target);
	});
}

/**
 * Returns the failure for a file with the key of another agent, because replacing the file would lose that
 * key.
 */
export function agentInUse(path: string, { agentId }: Stored): Failure {
	return new Failure(
		`${path} contains the key of another agent, ${clean(agentId)}`,
		1,
		"to use two agents, give this one its own file with --config FILE; or save the stored key, then run logout, which deletes it",
	);
}

/**
 * Deletes the file and, if the path is a symbolic link, the link. Returns whether the path existed.
 * @throws Failure with exit code 1
 */
export function removeStored(path: string): boolean {
	try {
		const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
		rmSync(linkTarget(path), { force: true });
		rmSync(path, { force: true });
		return isThere;
	} catch (error) {
		throw new Failure(`${path} cannot be removed: ${reasonOf(error)}`, 1);
	}
}

/**
 * Creates a temporary file next to the target, calls `use`, which can move the file to the target, and
 * deletes the temporary file.
 * @throws Failure with exit code 1
 */
export function withTemporary(
	path: string,
	text: string,
	use: (temporary: string, target: string) => void,
	mode = OWNER_ONLY,
): void {
	const target = linkTarget(path);
	const temporary = `${target}.${randomUUID()}.tmp`;
	try {
		writeFileSync(temporary, text, { flag: "wx", mode, flush: true });
		// Sets the mode again, because the umask may have removed permissions of the owner.
		chmodSync(temporary, mode);
		use(temporary, target);
	} catch (error) {
		if (error instanceof Failure) throw error;
		throw new Failure(`${path} cannot be written: ${reasonOf(error)}`, 1);
	} finally {
		rmSync(temporary, { force: true });
	}
}

function linkTarget(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

/** Whether two addresses have the same origin. */
export function isSameOrigin(one: string, other: string): boolean {
	return new URL(one).origin === new URL(other).origin;
}
