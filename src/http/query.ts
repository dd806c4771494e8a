/**
 * The parameters of a URL's query. Of repeated ones the last counts, but the values of `lists` are joined by commas.
 * @param lists names of parameters that hold lists
 */
export function readQuery(
	url: string,
	lists: readonly string[],
): Record<string, string> {
	const start = url.indexOf("?");
	if (start === -1) return {};
	const end = url.indexOf("#", start);
	const search = url.slice(start + 1, end === -1 ? undefined : end);
	const query: Record<string, string> = {};
	for (const [name, value] of new URLSearchParams(search)) {
		const before = lists.includes(name) ? query[name] : undefined;
		query[name] = before === undefined ? value : `${before},${value}`;
	}
	return query;
}
