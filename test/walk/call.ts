import type { Ask } from "../support/resort.ts";

/** A request of the walk, in the parts that the model judges. */
export interface Call {
	/** Method and path as the contract writes them, `:id` for what the path names. */
	readonly operation: string;
	/** What stands for `:id`. */
	readonly id?: string;
	readonly query?: readonly (readonly [name: string, value: string])[];
	/** Sent as JSON. */
	readonly body?: object;
	/** Sent as it is, instead of a body. */
	readonly raw?: { readonly text: string; readonly type?: string };
	/** What the Bearer header carries. */
	readonly key?: string;
	/** An Authorization header of another scheme. */
	readonly otherScheme?: string;
	/** What the session cookie carries. */
	readonly session?: string;
	readonly origin?: string;
	readonly peer: string;
}

/** An origin that is never the resort's own. */
export const FOREIGN_ORIGIN = "https://elsewhere.test";

/** Whether a call is the host's, who has a door of its own. */
export function isByHost({ operation }: Pick<Call, "operation">): boolean {
	return !operation.includes(" /api/");
}

/** A call's method. */
export function methodOf({ operation }: Call): string {
	return operation.split(" ")[0] ?? "";
}

/** A call's path and query. */
export function pathOf({ operation, id = "", query = [] }: Call): string {
	const path = (operation.split(" ")[1] ?? "").replace(":id", id);
	const pairs = query.map(
		([name, value]) => `${name}=${encodeURIComponent(value)}`,
	);
	return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

/** The rest of a call as the resort of a test takes it. */
export function askOf(call: Call): Ask {
	const { body, raw, key, session, peer, origin, otherScheme } = call;
	return {
		peer,
		headers: {
			...(origin !== undefined && { origin }),
			...(otherScheme !== undefined && { authorization: otherScheme }),
			...(raw?.type !== undefined && { "content-type": raw.type }),
		},
		...(body !== undefined && { body }),
		// Bytes, because text would be given a content type of its own.
		...(raw !== undefined && { raw: new TextEncoder().encode(raw.text) }),
		...(key !== undefined && { key }),
		...(session !== undefined && { session }),
	};
}
