/**
 * Prints the declarations in the testing modules that are generated from schemas: the types of fixtures and
 * of responses, and the names of operations. The output is a JSON object with the fields `typescript` and
 * `python`.
 */
import { operations, unlisted } from "../src/cli/operations.ts";
import { Fault } from "../src/features/testing/faults.ts";
import { Fixtures } from "../src/features/testing/fixtures/fixtures-schema.ts";
import { CutAnswer, StateAnswer } from "../src/features/testing/operations.ts";
import { RecordedCall } from "../src/features/testing/recorded-calls.ts";

/** The parts of JSON Schema that fixtures and responses use. */
interface Schema {
	readonly type?: string | readonly string[];
	readonly anyOf?: readonly Schema[];
	readonly description?: string;
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
}

/** How a language writes types. */
interface Language {
	readonly scalars: Readonly<Record<string, string>>;
	list(item: string): string;
	nullable(type: string): string;
}

const typescript: Language = {
	scalars: { string: "string", integer: "number", number: "number", boolean: "boolean" },
	list: (item) => `readonly ${item}[]`,
	nullable: (type) => `${type} | null`,
};

const python: Language = {
	scalars: { string: "str", integer: "int", number: "float", boolean: "bool" },
	list: (item) => `List[${item}]`,
	nullable: (type) => `Optional[${type}]`,
};

function typeOf(schema: Schema, language: Language, item: string): string {
	const [first, ...others] = schema.anyOf ?? [];
	if (first !== undefined) {
		const type = typeOf(first, language, item);
		return others.length > 0 ? language.nullable(type) : type;
	}
	const types = [schema.type].flat();
	if (types[0] === "array") {
		return language.list(typeOf(schema.items ?? {}, language, item));
	}
	if (types[0] === "object") return item;
	const scalar = language.scalars[types[0] ?? ""];
	if (scalar === undefined) throw new Error(`no type for ${types[0]}`);
	return types.includes("null") ? language.nullable(scalar) : scalar;
}

/** The lists in the fixtures, each with the name of the type of its items. */
const lists = Object.entries(Fixtures.properties as Record<string, Schema>).map(([name, schema]) => {
	const items = schema.anyOf?.[0]?.items ?? {};
	const singular = name.replace(/s$/, "");
	const item = `Fixture${singular[0]?.toUpperCase()}${singular.slice(1)}`;
	return { name, schema, items, item };
});

/** The responses that the methods of a resort return. `about` is the comment on the type, line by line. */
const responses = [
	{
		name: "Fault",
		schema: Fault,
		about: [
			"An armed fault. Omitted options are null, 0 or false. The affected calls have its `id` in `RecordedCall`.",
			"`left` is the number of further calls that it affects; null if it affects all until it is cleared.",
		],
	},
	{
		name: "RecordedCall",
		schema: RecordedCall,
		about: [
			"A call that the resort has handled. `operation` is null if the path is unknown. `status` is null if a fault",
			"or the client closed the connection before the response. `fault` is the id of the fault that affected it.",
		],
	},
	{
		name: "ResortState",
		schema: StateAnswer,
		about: [
			"The time of the clock, whether it is frozen, and the numbers of agents that are not deactivated, and of",
			"guests: agents that are checked in.",
		],
	},
	{
		name: "CutConnections",
		schema: CutAnswer,
		about: ["The numbers of event streams and of waiting calls whose connections were cut."],
	},
] as const;

/** Declares the fields of a response except `ok`, such as `left: number | null`. */
function fieldsOf({ name: response, schema }: (typeof responses)[number], language: Language): string[] {
	const { ok: _, ...fields } = schema.properties as Record<string, Schema>;
	return Object.entries(fields).map(([name, field]) => {
		// The schema accepts any string, but the type names the ids.
		const isId = response === "RecordedCall" && name === "operation";
		return `${name}: ${isId ? language.nullable("OperationId") : typeOf(field, language, "")}`;
	});
}

const all = [...operations, ...unlisted];
const ids = [...new Set(all.map(({ id }) => id))];
const calls = [
	...new Set(
		all.map(({ method, path }) => {
			return `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
		}),
	),
];

function typescriptTypes(): string {
	const parts = lists.map(({ items, item }) => {
		const fields = Object.entries(items.properties ?? {}).map(([name, schema]) => {
			const { description } = schema;
			const comment = description ? `\t/** It is ${description}. */\n` : "";
			const mark = items.required?.includes(name) ? "" : "?";
			return `${comment}\treadonly ${name}${mark}: ${typeOf(schema, typescript, item)};\n`;
		});
		return `/** An item of a list of {@link Fixtures}. */\nexport interface ${item} {\n${fields.join("")}}\n`;
	});
	const fields = lists.map(
		({ name, schema, item }) => `\treadonly ${name}?: ${typeOf(schema, typescript, item)};\n`,
	);
	const answers = responses.map((response) => {
		const about = response.about.map((line) => ` * ${line}\n`);
		const lines = fieldsOf(response, typescript).map((field) => `\treadonly ${field};\n`);
		return `\n/**\n${about.join("")} */\nexport interface ${response.name} {\n${lines.join("")}}\n`;
	});
	const union = (names: readonly string[]) => names.map((name) => `\n\t| ${JSON.stringify(name)}`).join("");
	return `${parts.join("\n")}
/** Initial data. */
export interface Fixtures {
${fields.join("")}}

/** The id of an operation. */
export type OperationId =${union(ids)};

/** What operations a fault affects: the id of one, its method and path, or all of them. */
export type OperationName =
	| OperationId
	| "*"${union(calls)};
${answers.join("")}`;
}

function pythonTypes(): string {
	const parts = lists.map(({ items, item }) => {
		const fields = Object.entries(items.properties ?? {});
		const lines = (isRequired: boolean) =>
			fields
				.filter(([name]) => (items.required ?? []).includes(name) === isRequired)
				.map(([name, schema]) => {
					return `    ${name}: ${typeOf(schema, python, item)}\n`;
				})
				.join("");
		return `class _${item}(TypedDict):\n${lines(true)}\n\nclass ${item}(_${item}, total=False):\n${lines(false)}\n\n`;
	});
	const fields = lists.map(({ name, schema, item }) => `    ${name}: ${typeOf(schema, python, item)}\n`);
	const answers = responses.map((response) => {
		const about = response.about.join("\n    ").replaceAll("null", "None").replaceAll("false", "False");
		const lines = fieldsOf(response, python).map((field) => `    ${field}\n`);
		return `\n\nclass ${response.name}(TypedDict):\n    """${about}"""\n\n${lines.join("")}`;
	});
	const literal = (names: readonly string[]) =>
		names.map((name) => `\n    ${JSON.stringify(name)},`).join("");
	return `${parts.join("")}class Fixtures(TypedDict, total=False):
    """Initial data."""

${fields.join("")}

# The id of an operation.
OperationId = Literal[${literal(ids)}
]

# What operations a fault affects: the id of one, its method and path, or all of them.
OperationName = Literal[
    "*",${literal([...ids, ...calls])}
]
${answers.join("")}`;
}

process.stdout.write(JSON.stringify({ typescript: typescriptTypes(), python: pythonTypes() }));
