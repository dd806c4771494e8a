import { SECOND_MS } from "../core/lib/clock.ts";
import { codeOf, reasonOf } from "../core/lib/error-reason.ts";
import { parseObject } from "../core/lib/record.ts";
import { StartError } from "../core/lib/start-error.ts";

/** The time limit for a response. */
export const TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Requests the health of a resort. If the response is not a JSON object, the returned body is empty.
 * @param base the address of the resort, without a trailing slash
 * @param proxy the option `proxy` of `fetch`: false for an address of this machine, to bypass proxies
 * @throws StartError if nothing responds in time
 */
export async function requestHealth(base: string, proxy: false | undefined, timeoutMs = TIMEOUT_MS) {
	const url = `${base}/api/health`;
	try {
		const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
		const response = await fetch(url, { redirect: "manual", proxy, signal });
		return { url, status: response.status, body: parseObject(await response.text()) ?? {} };
	} catch (error) {
		throw new StartError(`${url} does not respond (${codeOf(error) || reasonOf(error)})`);
	}
}
