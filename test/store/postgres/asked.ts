import type { Values } from "../../../src/store/query.ts";
import type { Store, Value } from "../../../src/store/store.ts";

/** A question as it reaches an engine. */
export interface Asked {
	readonly text: string;
	readonly parameters: readonly Value[];
}

/** What a store is asked when all rows of a question are asked for. */
export function asked(
	question: (store: Store) => { all(values: Values): unknown },
	values: Values,
): Asked {
	let found: Asked | undefined;
	const store = {
		prepare(text: string) {
			const record = (parameters: readonly Value[]) => {
				found = { text, parameters };
			};
			return { all: record, get: record };
		},
	};
	question(store as never).all(values);
	if (found === undefined) throw new Error("nothing was asked");
	return found;
}
