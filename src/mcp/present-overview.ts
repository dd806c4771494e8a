import type { OverviewAnswer } from "../resort/agent-overview/model.ts";
import type { Result } from "./tool.ts";

/** Moves the unanswered postcards to the front, because small models read only the beginning of a result. */
export function presentOverview(result: Result): Result {
	const { news } = result as { readonly news: OverviewAnswer["news"] };
	const postcards = news.postcards.toSorted(
		(one, other) =>
			Number(one.answeredAt !== null) - Number(other.answeredAt !== null),
	);
	return { ...result, news: { ...news, postcards } };
}
