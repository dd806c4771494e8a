/** Strings and quoted names, parameters, words, and the signs that lists are made of. */
const TOKEN = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\?|\w+|[(),]/g;

/**
 * Brings a statement that Drizzle wrote for SQLite to the form that PostgreSQL takes: `?` becomes `$1` and so on, and
 * the `null` that an insert gives to a column that is left out becomes `default`.
 * @param text one statement without comments
 */
export function toPostgres(text: string): string {
	let parameters = 0;
	/** How many brackets are open, counted from the keyword `values`; negative before it. */
	let depth = -1;
	let previous = "";
	return text.replaceAll(TOKEN, (token, at: number) => {
		const isItem = depth === 1 && (previous === "(" || previous === ",");
		previous = token;
		if (token === "?") return `$${++parameters}`;
		if (token === "values") depth = 0;
		else if (depth < 0) return token;
		else if (token === "(") depth++;
		else if (token === ")") depth--;
		else if (token === "null" && isItem && endsItem(text, at + token.length)) {
			return "default";
		} else if (depth === 0 && token !== ",") depth = -1;
		return token;
	});
}

/** Whether an item of a list ends here. */
function endsItem(text: string, at: number): boolean {
	return /^\s*[,)]/.test(text.slice(at));
}
