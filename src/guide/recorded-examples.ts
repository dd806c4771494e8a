import { once } from "../lib/once.ts";
import type { Provider } from "../resort/service-context.ts";
import type Recorded from "./examples.json";

/** Loaded with the first document that shows them. */
const recorded = once((): typeof Recorded => require("./examples.json"));

/** What `bun scripts/examples.ts` recorded, by the id of the operation, then by the name of {@link FindExample}. */
type RecordedExamples = Readonly<
	Record<string, Readonly<Record<string, unknown>> | undefined>
>;

/** Holds the responses that most operations have in common. */
const ANY_OPERATION = "*";

/** Returns the example of a body: `name` is `request`, or the status of a response. Undefined if there is none. */
export type FindExample = (operationId: string, name: string) => unknown;

/** Returns the examples of an instance, with its addresses in them. */
export function recordedExamples(
	baseUrl: string,
	provider: Pick<Provider, "url" | "origin"> | null,
): FindExample {
	const direct: RecordedExamples = recorded().direct;
	const own = provider === null ? direct : recorded().provider;
	const sources: readonly RecordedExamples[] = [own, direct];
	return (operationId, name) => {
		const [example] = [operationId, ANY_OPERATION]
			.flatMap((id) => sources.map((source) => source[id]?.[name]))
			.filter((found) => found !== undefined);
		if (example === undefined) return undefined;
		return JSON.parse(
			JSON.stringify(example)
				.replaceAll("{{base_url}}", () => baseUrl)
				.replaceAll("{{identity_url}}", () => provider?.url ?? "")
				.replaceAll("{{identity_origin}}", () => provider?.origin ?? ""),
		);
	};
}
