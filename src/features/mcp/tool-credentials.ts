import type { HeaderKey } from "../../content/mcp-texts.ts";
import type { CallSource } from "../../core/calls/call.ts";
import type { Pipeline } from "../../core/calls/handle.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import type { AuthenticatedAgent } from "../../core/resort/agents/authenticated-agent.ts";
import type { Arguments } from "./tool.ts";
import { API_KEY } from "./tool-schemas.ts";

/** Returns the state of the key in the header field; `none` also if it cannot be determined now. */
export async function checkHeaderKey(pipeline: Pipeline, source: CallSource): Promise<HeaderKey> {
	if (source.credentials.apiKey === null) return "none";
	try {
		return (await findHolder(pipeline, source)) === null ? "invalid" : "valid";
	} catch (error) {
		if (error instanceof ResortError) return "none";
		throw error;
	}
}

/** Returns the agent of a call's key; null if the key is missing or invalid. */
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
 * Chooses between the keys in the header field and in the argument. If the key in the header field is
 * invalid, the argument is used, because the MCP client program may have filled the field from an unset
 * variable or with an old key.
 * @throws ResortError `invalid` if both keys are valid and belong to different agents, or if only the key in
 * the header field is valid
 */
export async function chooseKey(
	pipeline: Pipeline,
	source: CallSource,
	args: Arguments,
): Promise<CallSource> {
	const { credentials } = source;
	const argument = args[API_KEY];
	if (typeof argument !== "string" || argument.trim() === "") return source;
	// Models copy the scheme from the configuration of other programs.
	const apiKey = argument.trim().replace(/^bearer\s+/i, "");
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
			hint:
				"The header of this connection and apiKey contain keys of different agents. Omit apiKey to " +
				"act as the header's agent; use a separate connection for the other.",
		});
	}
	throw invalid("apiKey is not valid", {
		field: API_KEY,
		hint: "Omit apiKey: the header of this connection has a valid key.",
	});
}
