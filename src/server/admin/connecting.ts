import { connect } from "node:net";

/**
 * Tries whether somebody listens on a socket.
 * @returns null when somebody does, else what the system reports
 */
export async function connectionFailure(path: string): Promise<unknown> {
	const { promise, resolve } = Promise.withResolvers<unknown>();
	const socket = connect(path);
	socket.once("connect", () => resolve(null));
	socket.once("error", resolve);
	return promise.finally(() => socket.destroy());
}
