import { once } from "../../core/lib/once.ts";
import type { Provider } from "../../core/resort/service-context.ts";
import type Recorded from "./examples.json";

/** The recorded examples. The file is loaded when a document first needs it. */
const recorded = once((): typeof Recorded => require("./examples.json"));

/**
 * The examples that `bun scripts/examples.ts` recorded, by operation id, then by `request` or status. A
 * string instead of an example is the id of another operation with the same example.
 */
type RecordedExamples = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** The key of the entry with responses that most operations have in common. */
const ANY_OPERATION = "*";

/** Returns an example of a body, or undefined. `name` is `request` or the status of a response. */
export type FindExample = (operationId: string, name: string) => unknown;

/** Returns a function that finds a recorded example and fills in the addresses of this instance. */
export function recordedExamples(
	baseUrl: string,
	provider: Pick<Provider, "url" | "origin"> | null,
): FindExample {
	const text = JSON.stringify(recorded())
		.replaceAll("{{base_url}}", () => baseUrl)
		.replaceAll("{{identity_url}}", () => provider?.url ?? "")
		.replaceAll("{{identity_origin}}", () => provider?.origin ?? "");
	const examples: Record<"direct" | "provider", RecordedExamples> = JSON.parse(text);
	const sources = provider === null ? [examples.direct] : [examples.provider, examples.direct];
	return (operationId, name) => {
		const find = (source: RecordedExamples, id: string): unknown => {
			const found = source[id]?.[name];
			return typeof found === "string" ? find(source, found) : found;
		};
		return [operationId, ANY_OPERATION]
			.flatMap((id) => sources.map((source) => find(source, id)))
			.find((found) => found !== undefined);
	};
}
