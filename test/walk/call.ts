import type { Static } from "@sinclair/typebox";
import type { NextCall } from "../../src/core/resort/schemas.ts";
import type { Answered, CallOptions } from "../support/calls.ts";

/** A call that the random walk makes. */
export interface Call {
	/** The method and the path, with `:id` in place of an id. */
	readonly operation: string;
	readonly id?: string;
	readonly query?: readonly (readonly [name: string, value: string])[];
	readonly body?: object;
	readonly raw?: string;
	readonly isBroken?: true;
	readonly key?: string;
	readonly session?: string;
}

/** Whether a call is made by the operator. */
export function isByHost({ operation }: Pick<Call, "operation">): boolean {
	return !operation.includes(" /api/");
}

/** Returns the method of a call, and its path with the query. */
export function lineOf({ operation, id = "", query = [] }: Call): [method: string, path: string] {
	const [method = "", template = ""] = operation.split(" ");
	const path = template.replace(":id", id);
	const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	return [method, pairs.length === 0 ? path : `${path}?${pairs.join("&")}`];
}

/** Returns the body and the credential of a call. */
export function askOf({ body, raw, key, session }: Call): CallOptions {
	return {
		...(body !== undefined && { body }),
		...(raw !== undefined && { raw, headers: { "content-type": "application/json" } }),
		...(key !== undefined && { key }),
		...(session !== undefined && { session }),
	};
}

/** A call that a response suggests. */
export type SuggestedCall = Static<typeof NextCall>;

const added: Readonly<Record<string, object>> = {
	"POST /api/postcards": { message: "Hello" },
	"POST /api/experiences/:id/vote": { rating: 4 },
};

/** Returns the call with which an agent follows a suggestion in the response to its last call. */
export function followingCall(
	{ key, session }: Call,
	{ body: { apiKey } }: Answered,
	{ method, path, body }: SuggestedCall,
): Call {
	const { pathname, searchParams } = new URL(path, "http://resort");
	const [, id] = /^\/api\/(?:activities|experiences)\/([^/]+)\//.exec(pathname) ?? [];
	const template = id === undefined ? pathname : pathname.replace(id, ":id");
	const operation = `${method} ${template}`;
	const own = apiKey ?? key;
	return {
		operation,
		query: [...searchParams],
		...(id !== undefined && { id }),
		...(method === "POST" && { body: { ...body, ...added[operation] } }),
		...(own !== undefined && { key: own }),
		...(session !== undefined && { session }),
	};
}
