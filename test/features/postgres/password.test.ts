import { expect, test } from "bun:test";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { openSession } from "../../../src/features/postgres/postgres-session.ts";

/**
 * The messages by which a server requests a password; see
 * https://www.postgresql.org/docs/current/protocol-message-formats.html.
 */
const requests = {
	clear: Buffer.from("R\0\0\0\x08\0\0\0\x03"),
	md5: Buffer.from("R\0\0\0\x0c\0\0\0\x05salt"),
};

/** A server without TLS that requests a password in a given way, and records what clients send. */
function startImpostor(request: Buffer) {
	const received: string[] = [];
	const server = Bun.listen({
		hostname: "127.0.0.1",
		port: 0,
		socket: {
			data(socket, data) {
				const isTlsRequest = data.length === 8;
				if (isTlsRequest) socket.write("N");
				else if (received.push(data.toString()) === 1) socket.write(request);
			},
		},
	});
	const stop = () => server.stop(true);
	return { received, port: server.port, [Symbol.dispose]: stop };
}

test.each([
	["a password", "in clear text", "clear", "ada:hunter2", ""],
	["a password and sslmode=disable", "in clear text", "clear", "ada:hunter2", "?sslmode=disable"],
	["no password", "in clear text", "clear", "ada", ""],
	["a password", "as an MD5 hash", "md5", "ada:hunter2", ""],
] as const)(
	"for a URL with %s, the client refuses a server that requests the password %s",
	async (_, told, form, login, query) => {
		using server = startImpostor(requests[form]);
		const url = `postgres://${login}@127.0.0.1:${server.port}/n${query}`;
		const opening = openSession(readAddress(url, {}));
		await expect(opening).rejects.toThrow(
			`the server requests the password ${told}, which is never sent: set the method scram-sha-256 in pg_hba.conf`,
		);
		expect(server.received).toHaveLength(1);
		expect(server.received.join()).not.toContain("hunter2");
	},
);
