import { GIVE_KEY } from "../content/mcp-texts.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Answer } from "../pipeline/call.ts";
import { InjectedFault } from "../pipeline/inject-fault.ts";
import type { Toolbox } from "./toolbox.ts";

interface ErrorFields {
	readonly error: string;
	readonly hint?: string;
	readonly field?: string;
}

/** When to retry after a failure that the caller did not cause. */
const RETRY_SECONDS = 60;

/**
 * Converts a failure to the result of a tool, with the names of tools instead of methods and paths.
 * @param name the tool that was called
 */
export function toToolError(
	{ error, body }: NonNullable<Answer["failure"]>,
	name: string,
	toolbox: Toolbox,
) {
	const fields = body as ErrorFields;
	const hint = fields.hint && toolbox.translate(fields.hint);
	const isKeyMissing =
		error instanceof ResortError && error.code === "unauthorized";
	// Another tool helps neither with an invalid argument nor with a rate limit or an internal error.
	const isRetry =
		!(error instanceof ResortError) ||
		fields.field !== undefined ||
		error.code === "rate_limited";
	const next = isRetry ? undefined : toolbox.firstIn(fields.hint ?? "");
	const retryAfterSeconds = retryAfterOf(error);
	return {
		...fields,
		error: toolbox.translate(fields.error),
		...(hint && { hint: isKeyMissing ? `${hint} ${GIVE_KEY}` : hint }),
		tool: next ?? name,
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
	};
}

function retryAfterOf(error: unknown): number | undefined {
	if (error instanceof InjectedFault) {
		return error.fault.retryAfterSeconds ?? undefined;
	}
	if (!(error instanceof ResortError)) return RETRY_SECONDS;
	const { code, details } = error;
	return (
		details.retryAfterSeconds ??
		(code === "unavailable" ? RETRY_SECONDS : undefined)
	);
}
