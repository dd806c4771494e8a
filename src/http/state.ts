import { createWindows, type Windows } from "../access/limits.ts";
import type { Keeping } from "../answers/keeping.ts";
import type { Caller } from "../resort/sessions/service.ts";

/** What the HTTP layer keeps beside the answers; the log and the metrics read it. */
export interface HttpState {
	readonly windows: Windows;
	/** Who sent a request, once its credential is accepted. */
	readonly callers: WeakMap<Request, Caller>;
	/** How answers that may be kept came to be, by their requests. */
	readonly keeping: WeakMap<Request, Keeping>;
	/** The framework's context of the request that it took up last. */
	latest: { readonly request: Request; readonly route?: string } | null;
}

/** The state of a service that has seen no request. */
export function createHttpState(): HttpState {
	return {
		windows: createWindows(),
		callers: new WeakMap(),
		keeping: new WeakMap(),
		latest: null,
	};
}
