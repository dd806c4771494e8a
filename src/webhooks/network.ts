import type { ClientRequest, IncomingMessage } from "node:http";
import type { Target } from "./target.ts";

/** The most bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The most answers that may come before the last one (`100 Continue`, `103 Early Hints`). */
const MAX_INTERIM = 10;

/** A webhook as it is sent. */
export interface Sending {
	readonly target: Target;
	/** Where to connect to; {@link Target.host} is only told. */
	readonly address: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Ends the connection; an answer whose head has come counts all the same. */
	readonly signal: AbortSignal;
}

/** What of an answer is of interest. */
export interface Answer {
	readonly status: number;
	readonly retryAfter: string | null;
}

/** The way out: tests give another one. */
export interface WebhookNetwork {
	/**
	 * Looks a name up.
	 * @returns its addresses, the best first
	 * @throws Error when it has none
	 */
	resolve(name: string): Promise<readonly string[]>;
	/**
	 * Sends a POST over a connection of its own, and follows no redirect.
	 * @throws Error with a `code` when no answer comes
	 */
	send(sending: Sending): Promise<Answer>;
}

/**
 * The network of the machine. It does not use `fetch`, which goes by way of the proxies that variables name, and
 * keeps connections for later requests.
 * @param ca certificates to trust in place of those that the runtime trusts
 */
export function systemNetwork(ca?: readonly string[]): WebhookNetwork {
	return {
		async resolve(name) {
			const { lookup } = await import("node:dns/promises");
			const found = await lookup(name, { all: true });
			return found.map(({ address }) => address);
		},
		async send(sending) {
			const { target, address, headers } = sending;
			const { request } = await (target.isSecure
				? import("node:https")
				: import("node:http"));
			const sent = request({
				method: "POST",
				host: address,
				port: target.port,
				path: target.path,
				headers: { ...headers, host: target.authority },
				agent: false,
				...(target.isSecure && {
					// The certificate is judged by this name, else by the address.
					servername: target.isName ? target.host : "",
					rejectUnauthorized: true,
					...(ca && { ca: [...ca] }),
				}),
			});
			return exchange(sent, sending);
		},
	};
}

function exchange(
	sent: ClientRequest,
	{ body, signal }: Sending,
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		let interim = 0;
		let abort = () => {
			sent.destroy(failure("ABORTED"));
		};
		const onAbort = () => abort();
		const onInterim = () => {
			if (++interim > MAX_INTERIM) sent.destroy(failure("TOO_MANY_ANSWERS"));
		};
		sent.on("error", reject);
		sent.on("close", () => {
			signal.removeEventListener("abort", onAbort);
			reject(failure("ECONNRESET"));
		});
		sent.on("continue", onInterim);
		sent.on("information", onInterim);
		sent.on("upgrade", (_, socket) => {
			socket.destroy();
			reject(failure("UPGRADED"));
		});
		sent.on("response", (response) => {
			const done = () => {
				resolve(readHead(response));
				sent.destroy();
			};
			abort = done;
			let bytes = 0;
			response.on("data", (chunk: Buffer) => {
				bytes += chunk.length;
				if (bytes >= MAX_ANSWER_BYTES) done();
			});
			for (const end of ["end", "error", "aborted", "close"]) {
				response.on(end, done);
			}
		});
		signal.addEventListener("abort", onAbort);
		if (signal.aborted) abort();
		else sent.end(body);
	});
}

function readHead({ statusCode, headers }: IncomingMessage): Answer {
	return {
		status: statusCode ?? 0,
		retryAfter: headers["retry-after"] ?? null,
	};
}

function failure(code: string): Error {
	return Object.assign(new Error(code), { code });
}
