import {
	type Components,
	type JsonSchema,
	resolve,
	toDocumentSchema,
} from "../guide/schema.ts";
import type { Operation } from "../resort/operation.ts";
import { Ignored } from "../resort/schemas.ts";
import type { Tool } from "./tools.ts";

/** The argument by which a client that sends no header fields gives its key. */
export const API_KEY = "apiKey";

/** The JSON Schema of an object, as a tool shows it. */
export interface ObjectSchema {
	readonly type: "object";
	readonly properties: Record<string, JsonSchema>;
	readonly required?: string[];
}

type Properties = Record<string, JsonSchema>;

/** The names in the path of an operation. */
export function paramsOf({ path }: Operation): string[] {
	return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** The schemas of all arguments of an operation, by name, and which are required. */
export function fieldsOf(operation: Operation): ObjectSchema {
	const { query, body, alternative } = operation;
	const params = paramsOf(operation);
	const properties: Properties = {
		...Object.fromEntries(params.map((name) => [name, { type: "string" }])),
		...query?.properties,
		...body?.properties,
	};
	for (const [name, schema] of Object.entries<JsonSchema>(
		alternative?.body.properties ?? {},
	)) {
		properties[name] ??= schema;
	}
	const required = [
		...params,
		...(query?.required ?? []),
		...(alternative === undefined ? (body?.required ?? []) : []),
	];
	return { type: "object", properties, required };
}

/** Whether an operation has a use for a key. */
function takesKey({ credential, own }: Operation): boolean {
	return credential !== "none" || own !== undefined;
}

/** The schema of what a tool takes, made from those of its operations. */
export function inputSchemaOf(
	{ presets = {}, open = [], choice }: Tool,
	operations: readonly Operation[],
	translate: (text: string) => string,
): ObjectSchema {
	const fields = operations.map(fieldsOf);
	const properties: Properties = {};
	if (choice) properties[choice.name] = { enum: choice.values };
	for (const one of fields) {
		for (const [name, schema] of Object.entries(one.properties)) {
			if (name in presets && !open.includes(name)) continue;
			properties[name] = shownField(schema, translate);
		}
	}
	if (operations.some(takesKey)) properties[API_KEY] = { type: "string" };
	const names = fields.flatMap(({ required = [] }) => required);
	const required = [...new Set(names)].filter((name) => !(name in presets));
	return {
		type: "object",
		properties,
		...(required.length > 0 && { required }),
	};
}

/** The schema of what a tool answers: that of its operations' answers, all in one when there are several. */
export function outputSchemaOf(
	{ pick, adds }: Tool,
	operations: readonly Operation[],
	viewOf: (operation: Operation) => string | undefined,
): ObjectSchema {
	const answers = operations.flatMap((operation) => {
		const view = operation.views?.[viewOf(operation) ?? ""];
		return view === undefined ? Object.values(operation.answers) : [view];
	});
	const schemas = answers.map((answer) => inlined(answer));
	const isOneOf = pick !== undefined || answers.length > operations.length;
	const required = schemas.map((schema) => schema.required ?? []);
	const all = [...new Set(required.flat())];
	const always = all.filter((name) =>
		required.every((names) => names.includes(name)),
	);
	return {
		type: "object",
		properties: {
			...merged(schemas.map(({ properties = {} }) => properties)),
			ignored: inlined(Ignored),
			...(adds && { [adds.name]: { type: "string" } }),
		},
		required: isOneOf ? always : all,
	};
}

/** All properties of several objects; one that they define differently may be as any of them defines it. */
function merged(all: readonly Properties[]): Properties {
	const kinds = new Map<string, Map<string, JsonSchema>>();
	for (const [name, schema] of all.flatMap(Object.entries<JsonSchema>)) {
		const known = kinds.get(name) ?? new Map();
		kinds.set(name, known.set(JSON.stringify(schema), schema));
	}
	return Object.fromEntries(
		Array.from(kinds, ([name, known]) => {
			const [first = {}, ...others] = known.values();
			return [
				name,
				others.length === 0 ? first : { anyOf: [first, ...others] },
			];
		}),
	);
}

/** A schema without references, which not every client resolves. */
function inlined(schema: JsonSchema): JsonSchema {
	const components: Components = {};
	const expand = (part: unknown): unknown => {
		if (Array.isArray(part)) return part.map(expand);
		if (typeof part !== "object" || part === null) return part;
		const whole = resolve(part, components);
		return Object.fromEntries(
			Object.entries(whole).map(([name, value]) => [name, expand(value)]),
		);
	};
	const shown = toDocumentSchema(schema, components);
	return JSON.parse(JSON.stringify(expand(shown)));
}

/** Bounds beyond which no caller goes; they cost more tokens than they tell. */
const NO_BOUND = 1_000_000;

/**
 * A field as a model needs it, which pays for each token: what may be null may as well be left out, and a refusal
 * tells the bounds that are not here.
 */
function shownField(
	schema: JsonSchema,
	translate: (text: string) => string,
): JsonSchema {
	const { type, items, enum: values, ...rest } = inlined(schema);
	const { format, maxLength, maximum = 0 } = rest;
	const isMoment = format === "date-time";
	const description = isMoment ? undefined : rest.description;
	if (values !== undefined) return { enum: values };
	if (rest.const !== undefined) return { const: rest.const };
	const kind = (Array.isArray(type) ? type[0] : type) ?? "string";
	return {
		type: kind,
		...(items?.type !== undefined && { items: { type: items.type } }),
		...(isMoment && { format }),
		...(maxLength && { maxLength }),
		...(maximum && maximum < NO_BOUND && { maximum }),
		...(description && { description: translate(description) }),
	};
}
