import { existsSync } from "node:fs";
import { readConfig, readSettings } from "../config/config.ts";
import type { Flags } from "../config/sources.ts";
import { connectionFailure } from "../instance/admin/connecting.ts";
import { socketPlace } from "../instance/admin/place.ts";
import { codeOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";
import { engineOf } from "../store/engines.ts";
import type { Asking } from "./admin-commands.ts";

/** What answers the host: a running instance, or the database itself. */
export interface Administration {
	ask(asking: Asking): Promise<Response>;
	close(): Promise<void>;
}

const ADDRESS = "http://localhost";

/**
 * Reaches the running instance by its socket; where none runs, opens the database.
 * @throws StartError when neither can be had
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
	if (place !== null && (await isAnswered(place.path))) {
		return {
			ask: (asking) => fetch(toRequest(asking), { unix: place.path }),
			async close() {},
		};
	}
	const { database } = placing;
	if (database === ":memory:") {
		throw new StartError(
			`no instance in memory serves on port ${placing.port}; --port says where it does`,
			1,
		);
	}
	if (place === null) {
		process.stderr.write(
			"--admin-socket off: no running instance is asked, and the database is opened\n",
		);
	}
	if (!engineOf(database).hasServer && !existsSync(database)) {
		throw new StartError(
			`database ${database} is not there; --database says where it is`,
			1,
		);
	}
	const { openOffline } = await import("../instance/admin/offline.ts");
	const opened = await openOffline(readConfig(flags, process.env), process.env);
	return {
		ask: async (asking) => opened.fetch(toRequest(asking)),
		close: opened.close,
	};
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
