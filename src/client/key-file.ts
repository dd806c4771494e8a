/** The configuration file: exactly apiKey, agentId and apiUrl, for its owner alone. */

import { randomUUID } from "node:crypto";
import {
	closeSync,
	fchmodSync,
	fstatSync,
	fsyncSync,
	linkSync,
	openSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, reasonOf } from "../lib/error-reason.ts";
import { isRecord } from "../lib/record.ts";
import { Failure } from "./client-failure.ts";
import { isSameOrigin, isWebAddress } from "./resort-address.ts";
import { clean } from "./terminal-text.ts";

/** Its name in the user's home directory. */
export const CONFIG_NAME = ".agent-resort.json";

/** What is kept of an agent. */
export interface Stored {
	readonly apiKey: string;
	readonly agentId: string;
	/** The address of its resort: the key goes to its origin alone. */
	readonly apiUrl: string;
}

const MAX_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** How many bytes are tried before a key is asked for, which could not be kept on a full disk. */
const TRIED_BYTES = 4 * 1024;

/** What was read. */
export interface Read {
	/** Null when there is no file. */
	readonly stored: Stored | null;
	/** Whether other users of the machine may read it. */
	readonly isShared: boolean;
}

/**
 * Reads the configuration file.
 * @throws Failure with exit code 1 when it is not what this program writes; it is left as it is
 */
export function readStored(path: string): Read {
	try {
		// Without this, a pipe with that name would be waited for.
		if (!statSync(path).isFile()) throw new Error("it is no file");
		const file = openSync(path, "r");
		try {
			const { size, mode } = fstatSync(file);
			if (size > MAX_BYTES) throw new Error("it is too large");
			const isShared = process.platform !== "win32" && (mode & OTHERS) !== 0;
			return { stored: parse(readFileSync(file, "utf8")), isShared };
		} finally {
			closeSync(file);
		}
	} catch (error) {
		if (codeOf(error) === "ENOENT") return { stored: null, isShared: false };
		throw new Failure(
			`${path} cannot be read: ${reasonOf(error)}`,
			1,
			"put it right, or remove it with logout; it was left as it is",
		);
	}
}

/** @throws Error that says what is wrong, and nothing of what is in it */
function parse(text: string): Stored {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own words would show a part of it.
		throw new Error("it is no JSON");
	}
	const { apiKey, agentId, apiUrl, ...others } = isRecord(value) ? value : {};
	const isWhole = isFilled(apiKey) && isFilled(agentId) && isFilled(apiUrl);
	if (!isWhole || Object.keys(others).length > 0) {
		throw new Error("it must have exactly apiKey, agentId, apiUrl");
	}
	if (!isWebAddress(apiUrl)) throw new Error("apiUrl is no address");
	return { apiKey, agentId, apiUrl };
}

function isFilled(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

/**
 * Makes sure that the file can be written, before there is something that must be kept.
 * @throws Failure with exit code 1
 */
export function requireWritable(path: string): void {
	const temporary = writeBeside(path, Buffer.alloc(TRIED_BYTES, " "));
	rmSync(temporary);
}

/**
 * Writes the file whole and puts it in its place, so that nobody ever reads a part of it. It takes the place of none,
 * or of one of the same agent.
 * @throws Failure with exit code 1; what was there is still there
 */
export function writeStored(path: string, wanted: Stored): void {
	const { apiKey, agentId, apiUrl } = wanted;
	const text = `${JSON.stringify({ apiKey, agentId, apiUrl }, null, 2)}\n`;
	const temporary = writeBeside(path, Buffer.from(text));
	try {
		if (isPlaced(temporary, targetOf(path))) return;
		const { stored } = readStored(path);
		if (stored !== null && !isSameAgent(stored, wanted)) {
			throw agentInUse(path, stored);
		}
		renameSync(temporary, targetOf(path));
	} catch (error) {
		throw error instanceof Failure ? error : cannotWrite(path, error);
	} finally {
		rmSync(temporary, { force: true });
	}
}

/** The failure of whoever would write over the key of another agent, which nobody tells again. */
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

/**
 * Puts a file where none is. Of several processes that do so at the same time, one succeeds.
 * @returns false when there is one, and on a file system without hard links
 */
function isPlaced(temporary: string, target: string): boolean {
	try {
		linkSync(temporary, target);
		return true;
	} catch {
		return false;
	}
}

/**
 * Removes the file, whatever is in it, and the link that leads to it.
 * @returns whether there was one
 * @throws Failure with exit code 1
 */
export function removeStored(path: string): boolean {
	try {
		rmSync(targetOf(path));
		rmSync(path, { force: true });
		return true;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return false;
		throw new Failure(`${path} cannot be removed: ${reasonOf(error)}`, 1);
	}
}

/** Writes bytes to a new file in the same folder, for its owner alone whatever the umask is, and gives its path. */
function writeBeside(path: string, bytes: Uint8Array): string {
	const target = targetOf(path);
	const temporary = join(
		dirname(target),
		`${basename(target)}.${randomUUID()}.tmp`,
	);
	try {
		const file = openSync(temporary, "wx", OWNER_ONLY);
		try {
			fchmodSync(file, OWNER_ONLY);
			for (let at = 0; at < bytes.length; )
				at += writeSync(file, bytes, at, bytes.length - at);
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		return temporary;
	} catch (error) {
		rmSync(temporary, { force: true });
		throw cannotWrite(path, error);
	}
}

/** Where the file is when its path is a link, which stays one. */
function targetOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

function cannotWrite(path: string, error: unknown): Failure {
	return new Failure(`${path} cannot be written: ${reasonOf(error)}`, 1);
}
