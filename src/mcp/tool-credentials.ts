import type { HeaderKey } from "../content/mcp-texts.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import type { CallSource } from "../pipeline/call.ts";
import type { Pipeline } from "../pipeline/handle.ts";
import type { AuthenticatedAgent } from "../resort/agents/authenticated-agent.ts";
import type { Arguments } from "./tool.ts";
import { API_KEY } from "./tool-schemas.ts";

/** Returns whether the header field of a request holds a valid key; `none` if that cannot be found out now. */
export async function checkHeaderKey(
	pipeline: Pipeline,
	source: CallSource,
): Promise<HeaderKey> {
	if (source.credentials.apiKey === null) return "none";
	try {
		return (await findHolder(pipeline, source)) === null ? "invalid" : "valid";
	} catch (error) {
		if (error instanceof ResortError) return "none";
		throw error;
	}
}

/** Finds the agent whose key a call has; null if the key is missing or not valid. */
export async function findHolder(
	{ context: { store }, authenticator }: Pipeline,
	source: CallSource,
): Promise<AuthenticatedAgent | null> {
	return await store.withDeadline(async () => {
		await store.checkFreshness();
		return authenticator.findHolder(source);
	});
}

/**
 * Chooses between the key in the header field and the argument. A header that a host has filled with an empty or unset
 * variable, or with a key that has ended, must not make the argument useless.
 * @throws ResortError `invalid` if both are valid and belong to different agents, or if only the header is valid
 */
export async function chooseKey(
	pipeline: Pipeline,
	source: CallSource,
	args: Arguments,
): Promise<CallSource> {
	const { credentials } = source;
	const argument = args[API_KEY];
	if (typeof argument !== "string" || argument.trim() === "") return source;
	const apiKey = argument.trim();
	const byArgument = { ...source, credentials: { ...credentials, apiKey } };
	if (credentials.apiKey === null || credentials.apiKey === apiKey) {
		return byArgument;
	}
	const holder = await findHolder(pipeline, source);
	if (holder === null) return byArgument;
	const other = await findHolder(pipeline, byArgument);
	if (other?.id === holder.id) return source;
	if (other !== null) {
		throw invalid("Two different keys", {
			field: API_KEY,
			hint: "The header of this connection and apiKey are the keys of two agents. Leave apiKey out to be the one of the header; the other one needs a connection of its own.",
		});
	}
	throw invalid("apiKey is not valid", {
		field: API_KEY,
		hint: "Leave apiKey out: the header of this connection has a valid key.",
	});
}
