/** A call of an operation, as data. Each transport writes the call in its own form. */
export interface SuggestedCall {
	/** The method and path of an operation, such as `POST /api/activities/:id/do`. */
	readonly operation: string;
	/** The known values of parameters in the path, the query and the request body of the call, by name. */
	readonly parameters: Readonly<Record<string, string>>;
}

/** A text that suggests calls. */
export class Hint {
	constructor(private readonly parts: readonly (string | SuggestedCall)[]) {}

	/** The suggested calls, in the order in which the text names them. */
	get calls(): SuggestedCall[] {
		return this.parts.filter((part) => typeof part !== "string");
	}

	/** Returns the text. The function `format` converts each suggested call to text. */
	write(format: (call: SuggestedCall) => string): string {
		return this.parts.map((part) => (typeof part === "string" ? part : format(part))).join("");
	}

	/** Returns the text, in which each suggested call is written as an HTTP call. */
	toString(): string {
		return this.write(httpText);
	}
}

/** The tag function for hints: hint`Call ${call("POST /api/checkin")} first.` */
export function hint(
	texts: TemplateStringsArray,
	...values: readonly (string | number | SuggestedCall)[]
): Hint {
	return new Hint(
		texts.flatMap((text, at) => {
			const value = values[at] ?? "";
			return [text, typeof value === "object" ? value : String(value)];
		}),
	);
}

/** Returns a call for a hint. A parameter in the path that has no value is shown as `{id}`. */
export function call(operation: string, parameters: SuggestedCall["parameters"] = {}): SuggestedCall {
	return { operation, parameters };
}

/** Returns a call as text, such as `GET /api/activities?view=brief`. */
export function httpText(suggested: SuggestedCall): string {
	const { method, path } = toHttpCall(suggested);
	return `${method} ${path}`;
}

/**
 * Converts a suggested call to an HTTP call. Parameters that are not in the path belong to the query of a
 * GET, and to the body of any other method.
 */
export function toHttpCall({ operation, parameters }: SuggestedCall) {
	const [method = "", template = ""] = operation.split(" ");
	const others = new Map(Object.entries(parameters));
	const path = template.replace(/:(\w+)/g, (_, name) => {
		const value = others.get(name);
		others.delete(name);
		return value === undefined ? `{${name}}` : encodeURIComponent(value);
	});
	if (others.size === 0) return { method, path };
	return method === "GET"
		? { method, path: `${path}?${new URLSearchParams([...others])}` }
		: { method, path, body: Object.fromEntries(others) };
}
