import { GIVE_KEY } from "../content/mcp.ts";
import { InjectedFault } from "../http/faults.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Toolbox } from "./toolbox.ts";

/** What a refused call is told. */
export interface Refusal {
	readonly error: string;
	readonly hint?: string;
	readonly field?: string;
	/** The tool to call next. */
	readonly tool: string;
	/** After how many seconds. */
	readonly retryAfterSeconds?: number;
}

/** After how many seconds a call is made again that failed for no reason of the caller's. */
const RETRY_SECONDS = 60;

/**
 * Tells a failure in the words of tools.
 * @param body as the other doors tell it
 * @param name the tool that was called
 */
export function refusalOf(
	error: unknown,
	body: object,
	name: string,
	toolbox: Toolbox,
): Refusal {
	const told = body as Pick<Refusal, "error" | "hint" | "field">;
	const hint = told.hint && toolbox.translate(told.hint);
	const isKeyMissing =
		error instanceof ResortError && error.code === "unauthorized";
	const seconds = secondsOf(error);
	return {
		...told,
		error: toolbox.translate(told.error),
		...(hint && { hint: isKeyMissing ? `${hint} ${GIVE_KEY}` : hint }),
		tool: nextTool(error, told, name, toolbox),
		...(seconds !== undefined && { retryAfterSeconds: seconds }),
	};
}

/** The first tool that the hint means; the same again where none would help more. */
function nextTool(
	error: unknown,
	{ hint = "", field }: { readonly hint?: string; readonly field?: string },
	name: string,
	toolbox: Toolbox,
): string {
	const isSame =
		!(error instanceof ResortError) ||
		field !== undefined ||
		error.code === "rate_limited";
	return (isSame ? undefined : toolbox.firstIn(hint)) ?? name;
}

function secondsOf(error: unknown): number | undefined {
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
