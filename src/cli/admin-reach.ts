import { existsSync } from "node:fs";
import { readConfig, readSettings } from "../config/config.ts";
import type { Flags } from "../config/sources.ts";
import { codeOf, reasonOf } from "../lib/failure.ts";
import { DatabaseInUse, StartError } from "../lib/start-error.ts";
import { connectionFailure } from "../server/admin/connecting.ts";
import {
	type Placing,
	type SocketPlace,
	socketPlace,
} from "../server/admin/place.ts";
import { engineOf } from "../store/engines.ts";
import type { Asking } from "./admin-commands.ts";
import type { Fields } from "./admin-text.ts";

/** What the administration answered: what was asked for, or why it was refused. */
export interface Reply {
	readonly isDone: boolean;
	readonly answer: Fields;
}

/** What answers the host: a running instance, or the database itself. */
export interface Administration {
	/** Whether a running instance answers. */
	readonly isServed: boolean;
	/** @throws StartError when there is no answer */
	ask(asking: Asking): Promise<Reply>;
	close(): Promise<void>;
}

const ADDRESS = "http://localhost";

/** How long an instance may be busy, for instance with rewriting its database, before it counts as hanging. */
const PATIENCE_MS = 10_000;

/** How long another command, or an instance that is starting, may have the database before it counts as in use. */
const IN_USE_MS = 3_000;
const PAUSE_MS = 50;

/**
 * Reaches the running instance by its socket; where none runs, opens the database.
 * @throws StartError when neither can be had, or the instance does not answer
 */
export async function reachAdministration(
	flags: Flags,
): Promise<Administration> {
	const named = readSettings(
		["database", "port", "admin-socket"],
		flags,
		process.env,
	);
	// Only instances in memory are told apart by their ports.
	const isInMemory = flags.port !== undefined && flags.database === undefined;
	const placing = isInMemory ? { ...named, database: ":memory:" } : named;
	const place = socketPlace(placing, process.env);
	const until = Date.now() + IN_USE_MS;
	for (;;) {
		if (place !== null && (await isAnswered(place.path))) {
			return await reachInstance(place.path);
		}
		requireDatabase(placing, place);
		try {
			return await openDatabase(flags);
		} catch (error) {
			if (!(error instanceof DatabaseInUse)) throw error;
			if (Date.now() > until) throw notAsked(error, place);
			await Bun.sleep(PAUSE_MS);
		}
	}
}

/** @throws StartError when there is no database that could be opened */
function requireDatabase(
	{ database, port }: Placing,
	place: SocketPlace | null,
): void {
	if (database === ":memory:") {
		throw new StartError(
			`no instance in memory answers for port ${port}; --port says where it serves, or it serves without the administration's socket: then its log says so`,
			1,
		);
	}
	if (!engineOf(database).hasServer && !existsSync(database)) {
		const unanswered =
			place?.isGiven === true
				? `nobody answers at the socket ${place.path}, and `
				: "";
		throw new StartError(
			`${unanswered}database ${database} is not there; --database or --config says where it is`,
			1,
		);
	}
}

/** @throws StartError when it does not answer */
async function reachInstance(path: string): Promise<Administration> {
	// What is asked for may take long. This does not, so it tells a busy instance from one that hangs.
	await request(path, new Request(ADDRESS), AbortSignal.timeout(PATIENCE_MS));
	return {
		isServed: true,
		ask: async (asking) => await request(path, toRequest(asking), null),
		async close() {},
	};
}

/** @throws StartError when it cannot be opened */
async function openDatabase(flags: Flags): Promise<Administration> {
	const { openOffline } = await import("../server/admin/offline.ts");
	const config = readConfig(flags, process.env);
	const opened = await openOffline(config, process.env);
	return {
		isServed: false,
		ask: async (asking) => toReply(await opened.fetch(toRequest(asking))),
		close: opened.close,
	};
}

/** Why the process that has a database was not asked. */
function notAsked(
	{ database }: DatabaseInUse,
	place: SocketPlace | null,
): StartError {
	const why =
		place === null
			? "and with --admin-socket off it is not asked"
			: `and nobody answers at the socket ${place.path}; --admin-socket says where the instance has it`;
	return new StartError(
		`database ${database} is in use by another resort process, ${why}`,
		1,
	);
}

/**
 * Asks an instance.
 * @param signal ends the waiting; null to wait as long as it takes
 * @throws StartError when there is no answer
 */
async function request(
	path: string,
	asked: Request,
	signal: AbortSignal | null,
): Promise<Reply> {
	try {
		return await toReply(
			// Bun asks again when a connection that it kept ends early; a change must be asked for once.
			await fetch(asked, {
				unix: path,
				timeout: false,
				keepalive: false,
				signal,
			}),
		);
	} catch (error) {
		throw new StartError(unanswered(path, signal, error), 1);
	}
}

/** Why there is no answer, and whether that leaves open what was done: only what has no signal may take long. */
function unanswered(
	path: string,
	signal: AbortSignal | null,
	error: unknown,
): string {
	const instance = `the instance at ${path}`;
	if (signal === null) {
		return `${instance} ended before it answered, so it is not known whether this was done: ${reasonOf(error)}`;
	}
	return signal.aborted
		? `${instance} has not answered for ${PATIENCE_MS / 1000} seconds, so it was not asked: it hangs, or it rewrites its database; try again`
		: `${instance} ended before it was asked; try again: ${reasonOf(error)}`;
}

async function toReply(response: Response): Promise<Reply> {
	return { isDone: response.ok, answer: Object(await response.json()) };
}

function toRequest({ method, path, body }: Asking): Request {
	return new Request(ADDRESS + path, {
		method,
		...(body !== undefined && {
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		}),
	});
}

/**
 * Whether an instance listens on a socket.
 * @throws StartError when this user may not ask it
 */
async function isAnswered(path: string): Promise<boolean> {
	const error = await connectionFailure(path);
	if (error === null) return true;
	const code = codeOf(error);
	if (code === "EACCES" || code === "EPERM") {
		throw new StartError(
			`the administration's socket ${path} is another user's: run this as the user who serves`,
			1,
		);
	}
	return false;
}
