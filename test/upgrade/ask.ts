import type { Body } from "../support/body.ts";

/** Calls an operation, `METHOD /path`, with an empty body where it takes one. */
export async function ask(
	url: string,
	call: string,
	key?: string,
): Promise<{ status: number; body: Body }> {
	const [method = "", path = ""] = call.split(" ");
	const response = await fetch(url + path, {
		method,
		...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
	});
	return {
		status: response.status,
		body: (await response.json()) as Body,
	};
}
