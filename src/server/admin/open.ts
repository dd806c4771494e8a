import type { Logger } from "@logtape/logtape";
import type { Config } from "../../config/config.ts";
import type { Environment } from "../../lib/environment.ts";
import { StartError } from "../../lib/start-error.ts";
import type { Fetch } from "../front.ts";
import { socketPlace } from "./place.ts";
import { type AdminSocket, listenForHost, SocketTaken } from "./socket.ts";

/**
 * Opens the socket of the administration. Where it cannot be had the resort serves without it, unless its path was
 * given.
 * @param port the instance's own
 * @returns null when there is none
 * @throws StartError when the path was given
 */
export async function openToHost(
	config: Config,
	port: number,
	environment: Environment,
	fetch: Fetch,
	log: Logger,
): Promise<AdminSocket | null> {
	const place = socketPlace({ ...config, port }, environment);
	if (place === null) return null;
	try {
		return await listenForHost(place, fetch);
	} catch (error) {
		if (!(error instanceof StartError) || place.isGiven) throw error;
		// Of several instances of one database any can be asked.
		const { message: reason } = error;
		if (error instanceof SocketTaken) log.info("no administration", { reason });
		else log.warn("no administration", { reason });
		return null;
	}
}
