import { CALLS } from "../lib/call-pattern.ts";
import type { Context, Operation } from "../resort/operation.ts";
import {
	inputSchemaOf,
	type ObjectSchema,
	outputSchemaOf,
} from "./tool-schemas.ts";
import { type Tool, tools } from "./tools.ts";

/** A tool as MCP lists it. */
export interface ListedTool {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: ObjectSchema;
	readonly outputSchema: ObjectSchema;
	readonly annotations: {
		readonly readOnlyHint: boolean;
		readonly destructiveHint?: boolean;
		readonly idempotentHint?: boolean;
		readonly openWorldHint: true;
	};
}

/** A tool with its operations. */
export interface ReadyTool {
	readonly tool: Tool;
	readonly operations: readonly Operation[];
	readonly listed: ListedTool;
}

type Registration = Pick<Context, "provider" | "registration">;

/** The tools of an instance. */
export class Toolbox {
	readonly #tools: ReadonlyMap<string, ReadyTool>;
	/** The names of tools by method and path, with `{}` for each parameter. */
	readonly #nameOf = new Map<string, string>();

	/**
	 * @param operations those of the instance
	 * @param registration who may register
	 */
	constructor(operations: readonly Operation[], registration: Registration) {
		for (const { name, routes, standsFor = [] } of tools) {
			for (const route of [...routes, ...standsFor]) {
				this.#nameOf.set(route.replace(/:\w+/g, "{}"), name);
			}
		}
		this.#tools = new Map(
			tools.map((tool) => {
				const own = tool.routes.map((route) => findRoute(operations, route));
				return [tool.name, this.#readyTool(tool, own, registration)];
			}),
		);
	}

	/** All tools, as MCP lists them. */
	get listed(): ListedTool[] {
		return [...this.#tools.values()].map(({ listed }) => listed);
	}

	/** Finds a tool by its name. */
	find(name: string): ReadyTool | undefined {
		return this.#tools.get(name);
	}

	/** Returns the tool that makes a call. The path may be a template. */
	nameOf(method: string, path: string): string | undefined {
		const [route = ""] = `${method} ${path}`.split("?");
		const template = route.replace(
			/(\/(?:agents|activities|experiences)\/)[^/]+/,
			"$1{}",
		);
		return this.#nameOf.get(route) ?? this.#nameOf.get(template);
	}

	/** Replaces methods and paths in a text by the names of tools. */
	translate(text: string): string {
		return text.replace(
			CALLS,
			(call, method, path) => this.nameOf(method, path) ?? call,
		);
	}

	/** Returns the first tool that makes one of the calls in a text. */
	firstIn(text: string): string | undefined {
		const names = Array.from(
			text.matchAll(CALLS),
			([, method = "", path = ""]) => this.nameOf(method, path),
		);
		return names.find((name) => name !== undefined);
	}

	#readyTool(
		tool: Tool,
		operations: readonly Operation[],
		{ provider, registration }: Registration,
	): ReadyTool {
		const { name, remark, write } = tool;
		const translate = (text: string) => this.translate(text);
		const texts = [
			tool.description ?? descriptionOf(operations[0], provider),
			remark,
		];
		return {
			tool,
			operations,
			listed: {
				name,
				description: translate(texts.filter(Boolean).join(" ")),
				inputSchema: forRegistration(
					inputSchemaOf(tool, operations, translate),
					registration,
				),
				outputSchema: outputSchemaOf(tool, operations),
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
}

function findRoute(operations: readonly Operation[], route: string): Operation {
	const operation = operations.find(
		({ method, path }) => `${method} ${path}` === route,
	);
	if (operation === undefined) throw new Error(`no operation ${route}`);
	return operation;
}

/** Removes the invitation code if none is needed, as fields cost tokens, and else moves it to the end. */
function forRegistration(
	schema: ObjectSchema,
	registration: Context["registration"],
): ObjectSchema {
	const { inviteCode, ...properties } = schema.properties;
	if (inviteCode === undefined) return schema;
	if (registration === "invite") properties.inviteCode = { type: "string" };
	return { ...schema, properties };
}

function descriptionOf(
	operation: Operation | undefined,
	provider: Context["provider"],
): string {
	const { summary = "", description } = operation ?? {};
	const text =
		typeof description === "function" ? description(provider) : description;
	return (text ?? `${summary}.`).replaceAll("`", "");
}
