import { CALLS } from "../lib/call-pattern.ts";
import type { Context } from "../resort/context.ts";
import type { Operation } from "../resort/operation.ts";
import { operationAt } from "../resort/operations.ts";
import { inputSchemaOf, outputSchemaOf } from "./tool-schemas.ts";
import { type Tool, tools } from "./tools.ts";

/** A tool with its operations. */
export interface ReadyTool {
	readonly tool: Tool;
	readonly operations: readonly Operation[];
}

/** The tools of an instance. */
export class Toolbox {
	readonly #tools: ReadonlyMap<string, ReadyTool>;
	/** The names of tools by method and path, with `{}` for each parameter. */
	readonly #nameOf = new Map<string, string>();
	/** All tools, as MCP lists them. */
	readonly listed: readonly object[];

	constructor(context: Pick<Context, "provider" | "registration">) {
		for (const { name, routes, standsFor = [] } of tools) {
			for (const route of [...routes, ...standsFor]) {
				this.#nameOf.set(route.replace(/:\w+/g, "{}"), name);
			}
		}
		const ready = tools.map((tool) => ({
			tool,
			operations: tool.routes.map(operationAt),
		}));
		this.#tools = new Map(ready.map((one) => [one.tool.name, one]));
		this.listed = ready.map((one) => this.#list(one, context));
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

	#list(
		{ tool, operations }: ReadyTool,
		{ provider, registration }: Pick<Context, "provider" | "registration">,
	) {
		const { name, remark, write } = tool;
		const translate = (text: string) => this.translate(text);
		const texts = [
			tool.description ?? descriptionOf(operations[0], provider),
			remark,
		];
		return {
			name,
			description: translate(texts.filter(Boolean).join(" ")),
			inputSchema: inputSchemaOf(tool, operations, registration, translate),
			outputSchema: outputSchemaOf(tool, operations),
			annotations: {
				readOnlyHint: write === undefined,
				...(write && {
					destructiveHint: write.isDestructive ?? false,
					idempotentHint: write.isIdempotent ?? false,
				}),
				openWorldHint: true,
			},
		};
	}
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
