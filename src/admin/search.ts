/** What agents are searched by: their names in any case, or an id. */

/** How a text is searched for. */
export interface Search {
	/** An id, as ids are stored. */
	readonly id: string;
	/**
	 * For `like` with `!` as its escape: matches the names that {@link isFound} finds, and some more. Left out are those of
	 * the few letters whose other case is written in ASCII, such as `ß` for `SS`.
	 */
	readonly pattern: string;
	/** Whether an agent is among those that are searched for. */
	isFound(agent: { readonly id: string; readonly name: string }): boolean;
}

/** Letters whose case SQLite does not know, nor PostgreSQL with the locale `C`. */
const BEYOND_ASCII = /[^\0-\x7f]+/g;

/** Searches for agents that have a text in their name, whatever the case of its letters, or whose id it is. */
export function searchFor(text: string): Search {
	const id = text.toLowerCase();
	const part = withoutCase(text);
	const escaped = text.replace(/[!%_]/g, "!$&");
	return {
		id,
		pattern: `%${escaped.replace(BEYOND_ASCII, "%")}%`,
		isFound: (agent) =>
			agent.id === id || withoutCase(agent.name).includes(part),
	};
}

/** By upper case at last: a sigma at the end of a word has another lower case than one within it. */
function withoutCase(text: string): string {
	return text.toLowerCase().toUpperCase();
}
