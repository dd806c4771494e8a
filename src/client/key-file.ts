/** The configuration file: exactly apiKey, agentId and apiUrl, readable only by its owner. */
import { randomUUID } from "node:crypto";
import {
	chmodSync,
	linkSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { isRecord } from "../lib/record.ts";
import { Failure } from "./client-failure.ts";
import { isSameOrigin, isWebAddress } from "./resort-address.ts";
import { clean } from "./terminal-text.ts";

/** The content of the file. */
export interface Stored {
	readonly apiKey: string;
	readonly agentId: string;
	/** The address of the resort. The key goes only to its origin. */
	readonly apiUrl: string;
}

const MAX_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** How many bytes are written to check that the disk is not full. */
const CHECKED_BYTES = 4 * 1024;

/**
 * Reads the file, and returns whether other users of the machine may read it.
 * @throws Failure with exit code 1 if its content is invalid; the file stays as it is
 */
export function readStored(path: string): {
	readonly stored: Stored | null;
	readonly isShared: boolean;
} {
	try {
		const found = statSync(path);
		// Reading a pipe would not end.
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
			"correct it, or remove it with logout; it was left as it is",
		);
	}
}

function parse(text: string): Stored {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The message of the parser contains a part of the text.
		throw new Error("it is not JSON");
	}
	const { apiKey, agentId, apiUrl, ...others } = isRecord(value) ? value : {};
	const isWhole = isFilled(apiKey) && isFilled(agentId) && isFilled(apiUrl);
	if (!isWhole || Object.keys(others).length > 0) {
		throw new Error("it must have exactly apiKey, agentId, apiUrl");
	}
	if (!isWebAddress(apiUrl)) throw new Error("apiUrl is not an address");
	return { apiKey, agentId, apiUrl };
}

function isFilled(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

/** Makes sure that the file can be written, before the resort creates a key. @throws Failure with exit code 1 */
export function requireWritable(path: string): void {
	rmSync(writeTemporary(path, " ".repeat(CHECKED_BYTES)));
}

/** Replaces the file atomically, if it does not exist or is of the same agent. @throws Failure with exit code 1 */
export function writeStored(path: string, stored: Stored): void {
	const { apiKey, agentId, apiUrl } = stored;
	const json = JSON.stringify({ apiKey, agentId, apiUrl }, null, 2);
	const temporary = writeTemporary(path, `${json}\n`);
	try {
		if (isLinked(temporary, linkTarget(path))) return;
		const previous = readStored(path).stored;
		if (previous !== null && !isSameAgent(previous, stored)) {
			throw agentInUse(path, previous);
		}
		renameSync(temporary, linkTarget(path));
	} catch (error) {
		throw cannotWrite(path, error);
	} finally {
		rmSync(temporary, { force: true });
	}
}

/** The failure if the file holds the key of another agent, which cannot be shown again. */
export function agentInUse(path: string, { agentId }: Stored): Failure {
	return new Failure(
		`${path} holds the key of another agent, ${clean(agentId)}`,
		1,
		"to have two agents, give this one a file of its own: --config FILE; or logout first, and keep the key, which is lost otherwise",
	);
}

function isSameAgent(one: Stored, other: Stored): boolean {
	return (
		one.agentId === other.agentId && isSameOrigin(one.apiUrl, other.apiUrl)
	);
}

/** Creates a hard link. Of several processes that do this at the same time, one succeeds. */
function isLinked(source: string, target: string): boolean {
	try {
		linkSync(source, target);
		return true;
	} catch {
		return false;
	}
}

/** Removes the file and a symbolic link to it. Returns whether there was one. @throws Failure with exit code 1 */
export function removeStored(path: string): boolean {
	try {
		rmSync(linkTarget(path));
		rmSync(path, { force: true });
		return true;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return false;
		throw new Failure(`${path} cannot be removed: ${reasonOf(error)}`, 1);
	}
}

/** Writes a new file beside the target, readable only by its owner, and returns its path. */
function writeTemporary(path: string, text: string): string {
	const temporary = `${linkTarget(path)}.${randomUUID()}.tmp`;
	try {
		const options = { flag: "wx", mode: OWNER_ONLY, flush: true };
		writeFileSync(temporary, text, options);
		// The umask may have removed the owner's rights.
		chmodSync(temporary, OWNER_ONLY);
		return temporary;
	} catch (error) {
		rmSync(temporary, { force: true });
		throw cannotWrite(path, error);
	}
}

function linkTarget(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

function cannotWrite(path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(`${path} cannot be written: ${reasonOf(error)}`, 1);
}
