import { CALLS } from "../lib/calls.ts";
import type { Provider } from "../resort/context.ts";
import type { Context, Operation } from "../resort/operation.ts";
import { inputSchemaOf, type ObjectSchema, outputSchemaOf } from "./schemas.ts";
import { type Tool, tools } from "./tools.ts";

/** How a tool behaves, as hosts ask (`ToolAnnotations` of the protocol). */
interface Annotations {
	readonly readOnlyHint: boolean;
	readonly destructiveHint?: boolean;
	readonly idempotentHint?: boolean;
	readonly openWorldHint: true;
}

/** A tool as it is listed. */
export interface ListedTool {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: ObjectSchema;
	readonly outputSchema: ObjectSchema;
	readonly annotations: Annotations;
}

/** A tool with its operations. */
export interface ReadyTool {
	readonly tool: Tool;
	readonly operations: readonly Operation[];
	readonly listed: ListedTool;
}

/** The tools of an instance. */
export class Toolbox {
	readonly #tools: ReadonlyMap<string, ReadyTool>;
	/** The name of a tool for each route, with `{}` for each parameter. */
	readonly #nameOf = new Map<string, string>();

	/**
	 * @param operations those of the instance
	 * @param context whether agents register here, and who may
	 */
	constructor(
		operations: readonly Operation[],
		context: Pick<Context, "provider" | "registration">,
	) {
		const byRoute = new Map(
			operations.map((one) => [`${one.method} ${one.path}`, one]),
		);
		for (const { name, routes, standsFor = [] } of tools) {
			for (const route of [...routes, ...standsFor]) {
				this.#nameOf.set(route.replace(/:\w+/g, "{}"), name);
			}
		}
		const listed = (tool: Tool) => {
			const own = tool.routes.map((route) => requireRoute(byRoute, route));
			return readyTool(tool, own, context, (text) => this.translate(text));
		};
		this.#tools = new Map(tools.map((tool) => [tool.name, listed(tool)]));
	}

	/** All tools as they are listed. */
	get listed(): ListedTool[] {
		return [...this.#tools.values()].map(({ listed }) => listed);
	}

	/** A tool by its name. */
	find(name: string): ReadyTool | undefined {
		return this.#tools.get(name);
	}

	/** The tool that makes a call: the path is a template, or has ids in it. */
	nameOf(method: string, path: string): string | undefined {
		const [template = ""] = path.split("?");
		const exact = this.#nameOf.get(`${method} ${template}`);
		if (exact !== undefined) return exact;
		const general = template.replace(
			/(\/(?:agents|activities|experiences)\/)[^/]+/,
			"$1{}",
		);
		return this.#nameOf.get(`${method} ${general}`);
	}

	/** A text for callers of operations, with the names of tools in place of methods and paths. */
	translate(text: string): string {
		return text.replace(
			CALLS,
			(call, method, path) => this.nameOf(method, path) ?? call,
		);
	}

	/** The first tool that makes a call of which a text for callers of operations tells. */
	firstIn(text: string): string | undefined {
		for (const [, method = "", path = ""] of text.matchAll(CALLS)) {
			const name = this.nameOf(method, path);
			if (name !== undefined) return name;
		}
		return undefined;
	}
}

function requireRoute(
	byRoute: ReadonlyMap<string, Operation>,
	route: string,
): Operation {
	const operation = byRoute.get(route);
	if (operation === undefined) throw new Error(`no operation ${route}`);
	return operation;
}

function readyTool(
	tool: Tool,
	operations: readonly Operation[],
	{ provider, registration }: Pick<Context, "provider" | "registration">,
	translate: (text: string) => string,
): ReadyTool {
	const [first] = operations;
	const { name, remark, presets, write } = tool;
	const about =
		tool.description ?? (first === undefined ? "" : textOf(first, provider));
	return {
		tool,
		operations,
		listed: {
			name,
			description: translate(
				remark === undefined ? about : `${about} ${remark}`,
			),
			inputSchema: forRegistration(
				inputSchemaOf(tool, operations, translate),
				registration,
			),
			outputSchema: outputSchemaOf(tool, operations, () => presets?.view),
			annotations: {
				readOnlyHint: write === undefined,
				...(write && {
					destructiveHint: write.isDestructive ?? false,
					idempotentHint: write.isIdempotent ?? false,
				}),
				openWorldHint: true,
			},
		},
	};
}

/** What a tool takes, without the code of an invitation where none is asked for: fields cost tokens. */
function forRegistration(
	schema: ObjectSchema,
	registration: Context["registration"],
): ObjectSchema {
	const { inviteCode, ...properties } = schema.properties;
	if (inviteCode === undefined) return schema;
	const isAsked = registration === "invite";
	return {
		...schema,
		properties: {
			...properties,
			...(isAsked && { inviteCode: { type: "string" } }),
		},
	};
}

/** What an operation says of itself. */
function textOf(
	{ summary, description }: Operation,
	provider: Provider | null,
): string {
	const told =
		typeof description === "function" ? description(provider) : description;
	return (told ?? `${summary}.`).replaceAll("`", "");
}
