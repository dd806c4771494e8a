import type { Provider } from "../resort/context.ts";
import recorded from "./examples.json" with { type: "json" };

/**
 * What was sent and answered when the operations were run (`bun scripts/examples.ts` records it): by the id of
 * the operation, then by `request` or the status of the answer. `*` holds what most operations answer at a
 * status.
 */
type Recorded = Readonly<
	Record<string, Readonly<Record<string, unknown>> | undefined>
>;

const ANY = "*";

/** The examples of an instance. */
export interface Examples {
	/**
	 * @param operationId of the operation
	 * @param name `request` for the body of a request, else the status of an answer
	 * @returns undefined when nothing was recorded
	 */
	find(operationId: string, name: string): unknown;
}

/**
 * The examples for an instance, with its addresses in them.
 * @param baseUrl the public address
 * @param provider null where agents register here
 */
export function examplesFor(
	baseUrl: string,
	provider: Pick<Provider, "url" | "origin"> | null,
): Examples {
	const direct: Recorded = recorded.direct;
	const own: Recorded = provider === null ? direct : recorded.provider;
	return {
		find(operationId, name) {
			const found =
				own[operationId]?.[name] ??
				direct[operationId]?.[name] ??
				own[ANY]?.[name] ??
				direct[ANY]?.[name];
			if (found === undefined) return undefined;
			return JSON.parse(
				JSON.stringify(found)
					.replaceAll("{{base_url}}", () => baseUrl)
					.replaceAll("{{identity_url}}", () => provider?.url ?? "")
					.replaceAll("{{identity_origin}}", () => provider?.origin ?? ""),
			);
		},
	};
}
