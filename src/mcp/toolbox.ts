import { UNTRUSTED } from "../content/mcp-texts.ts";
import { CALLS } from "../lib/call-pattern.ts";
import type { Context } from "../resort/context.ts";
import { inputSchemaOf, outputSchemaOf } from "./tool-schemas.ts";
import { type Tool, tools } from "./tools.ts";

/** The properties of an instance that affect its tools. */
type Instance = Pick<Context, "provider" | "registration">;

/** The tools of an instance. */
export class Toolbox {
	/** Maps `METHOD path` to the name of a tool. The path contains `{}` for each parameter. */
	readonly #nameOf = new Map<string, string>();
	/** The tools in the form of the MCP response to `tools/list`. */
	readonly listed: readonly object[];

	constructor(instance: Instance) {
		for (const { name, routes, standsFor = [] } of tools) {
			for (const route of [...routes, ...standsFor]) {
				this.#nameOf.set(route.replace(/:\w+/g, "{}"), name);
			}
		}
		this.listed = tools.map((tool) => this.#list(tool, instance));
	}

	/** Returns the tool with a name. */
	find(name: string): Tool | undefined {
		return tools.find((tool) => tool.name === name);
	}

	/** Returns the name of the tool for a call. The path may be a template. */
	nameOf(method: string, path: string): string | undefined {
		const [route = ""] = `${method} ${path}`.split("?");
		const template = route.replace(
			/(\/(?:agents|activities|experiences)\/)[^/]+/,
			"$1{}",
		);
		return this.#nameOf.get(route) ?? this.#nameOf.get(template);
	}

	/** Replaces methods and paths in a text by names of tools. */
	translate(text: string): string {
		return text.replace(
			CALLS,
			(call, method, path) => this.nameOf(method, path) ?? call,
		);
	}

	/** Returns the name of the tool for the first call in a text that has one. */
	firstIn(text: string): string | undefined {
		const names = Array.from(
			text.matchAll(CALLS),
			([, method = "", path = ""]) => this.nameOf(method, path),
		);
		return names.find((name) => name !== undefined);
	}

	#list(tool: Tool, { provider, registration }: Instance) {
		const { name, showsGuests, write, operations } = tool;
		const { summary, description = `${summary}.` } = operations[0] ?? {};
		const text =
			typeof description === "function" ? description(provider) : description;
		const texts = [
			tool.description ?? text?.replaceAll("`", ""),
			showsGuests && UNTRUSTED,
		];
		const translate = (part: string) => this.translate(part);
		return {
			name,
			description: translate(texts.filter(Boolean).join(" ")),
			inputSchema: inputSchemaOf(tool, registration, translate),
			outputSchema: outputSchemaOf(tool),
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
