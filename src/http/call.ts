import type { Access, Call } from "../auth/call.ts";
import type { SignedRequest } from "../auth/provider/call-verifier.ts";
import { isSigned } from "../auth/provider/signature-fields.ts";
import { type AddressRange, clientKey } from "../lib/ip-address.ts";
import { once } from "../lib/once.ts";
import { type Operation, operationFor } from "../resort/operation.ts";
import { type ReadBody, readBody } from "./body.ts";
import { sessionToken } from "./cookie.ts";
import { originGuard } from "./origin.ts";
import { readQuery } from "./query.ts";
import { asItCame } from "./whole.ts";

/** What the HTTP door needs beside the resort. */
export interface HttpOptions {
	/** The address at the other end of a request's connection. */
	readonly peerAddress: (request: Request) => string;
	readonly trustedProxies: readonly AddressRange[];
	/** Lets a request's connection be silent for so many seconds before it is closed. */
	readonly outlast: (request: Request, seconds: number) => void;
}

/**
 * Makes the call that a request means.
 * @param addressed the operation of the request's path
 */
export async function callOf(
	request: Request,
	addressed: Operation,
	params: Readonly<Record<string, string>>,
	{ context: { baseUrl, testkit }, authentication }: Access,
	options: HttpOptions,
): Promise<Call> {
	const { headers } = request;
	// Test controls refuse the parameters that they do not know.
	const query =
		addressed.query === undefined && addressed.only !== "testkit"
			? {}
			: readQuery(request.url, addressed.lists ?? []);
	const operation = operationFor(addressed, query);
	const signed = authentication.call !== null && isSigned(headers);
	const reading = readBody(request, signed);
	const read = reading instanceof Promise ? await reading : reading;
	return {
		operation,
		params,
		query,
		body: read.body,
		presented: {
			apiKey: bearer(headers.get("authorization")),
			token: sessionToken(headers.get("cookie")),
			signed: signed ? signedRequest(request, operation, baseUrl, read) : null,
		},
		...senderOf(request, options),
		isVisit: true,
		guard: originGuard(request, operation, baseUrl, testkit?.hosts ?? []),
		caller: null,
		counted: null,
		ignored: [],
	};
}

/** Where a request comes from, and over what. */
export function senderOf(
	request: Request,
	options: HttpOptions,
): Pick<Call, "address" | "connection"> {
	return {
		address: once(() =>
			clientKey(
				options.peerAddress(asItCame(request)),
				request.headers.get("x-forwarded-for"),
				options.trustedProxies,
			),
		),
		connection: {
			get signal() {
				return asItCame(request).signal;
			},
			outlast: (seconds) => options.outlast(asItCame(request), seconds),
		},
	};
}

function signedRequest(
	request: Request,
	operation: Operation,
	baseUrl: string,
	{ sha256 }: ReadBody,
): SignedRequest {
	const { method, url, headers } = request;
	const [, target] = /^https?:\/\/[^/]*(\/.*)$/.exec(url) ?? [];
	return {
		method,
		targetUri: target === undefined ? "" : baseUrl + target,
		headers,
		bodySha256: sha256,
		operationId: operation.id,
	};
}

/**
 * Reads the field `Authorization`.
 * @returns the Bearer token, empty when there is none behind the scheme; null for another scheme
 */
export function bearer(authorization: string | null): string | null {
	const match = /^bearer(?:\s+(.*))?$/i.exec(authorization ?? "");
	return match === null ? null : (match[1] ?? "");
}
