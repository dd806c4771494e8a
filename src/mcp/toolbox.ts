import { GIVE_KEY, UNTRUSTED } from "../content/mcp-texts.ts";
import type { NextCall } from "../content/next-calls.ts";
import { SEND_KEY } from "../content/registration-texts.ts";
import { CALLS } from "../lib/call-pattern.ts";
import type { Context } from "../resort/context.ts";
import type { Arguments, Tool } from "./tool.ts";
import { API_KEY, fieldsOfTool, inputSchemaOf, outputSchemaOf } from "./tool-schemas.ts";
import { tools } from "./tools.ts";

/** The properties of an instance that affect its tools. */
type Instance = Pick<Context, "provider" | "registration">;

/** A suggested call of a tool. */
export interface ToolCall {
	readonly tool: string;
	readonly arguments: Arguments;
	readonly why: string;
}

/** A tool, and the extra arguments that make the tool call a certain route. */
interface RouteTool {
	readonly tool: Tool;
	readonly args: Arguments;
}

/** The tools of an instance. */
export class Toolbox {
	/** Maps `METHOD path` to a tool. The path contains `{}` for each parameter. */
	readonly #byRoute = new Map<string, RouteTool>();
	/** The tools in the form of the MCP response to `tools/list`. */
	readonly listed: readonly object[];

	constructor(instance: Instance) {
		for (const tool of tools) {
			const { routes, standsFor = [], argumentsOf = {} } = tool;
			for (const route of [...routes, ...standsFor]) {
				const args = argumentsOf[route] ?? {};
				this.#byRoute.set(templateOf(route), { tool, args });
			}
		}
		this.listed = tools.map((tool) => this.#list(tool, instance));
	}

	/**
	 * {@link listed} with the schemas of the results. These schemas need more tokens than the rest of the list.
	 */
	get listedWithOutputs(): readonly object[] {
		return this.listed.map((listed, at) => {
			const schema = outputSchemaOf(tools[at] as Tool);
			return schema === null ? listed : { ...listed, outputSchema: schema };
		});
	}

	/** Returns the tool with a name. */
	find(name: string): Tool | undefined {
		return tools.find((tool) => tool.name === name);
	}

	/** Converts a suggested call to a call of a tool. Returns undefined if there is no tool for it. */
	toToolCall({ operation, parameters, why }: NextCall): ToolCall | undefined {
		const found = this.#byRoute.get(templateOf(operation));
		if (found === undefined) return undefined;
		const { tool, args } = found;
		const names = fieldsOfTool(tool).map(({ name }) => name);
		const known = Object.entries(parameters).filter(([name]) => names.includes(name));
		return {
			tool: tool.name,
			arguments: { ...args, ...Object.fromEntries(known) },
			why: this.translate(why),
		};
	}

	/**
	 * Returns the call for the next page of a list; undefined if the tool shows only one page.
	 * @param path the path of the page, as operations return it
	 */
	toNextPage(tool: Tool, args: Arguments, path: string): ToolCall | undefined {
		if (tool.hidden?.includes("offset")) return undefined;
		const { [API_KEY]: _, ...rest } = args;
		const page = new URLSearchParams(path.slice(path.indexOf("?")));
		const position = ["limit", "offset"].map((name) => [name, Number(page.get(name))]);
		return {
			tool: tool.name,
			arguments: { ...rest, ...Object.fromEntries(position) },
			why: "The next page.",
		};
	}

	/** Replaces methods and paths in a text by names of tools, and header fields by arguments. */
	translate(text: string): string {
		return text
			.replace(CALLS, (call, method, path) => this.#nameOf(method, path) ?? call)
			.replace(SEND_KEY, GIVE_KEY)
			.replace("Idempotency-Key", "idempotencyKey");
	}

	/** Finds the first call in a text for which there is a tool. Returns the name of this tool. */
	firstIn(text: string): string | undefined {
		const names = Array.from(text.matchAll(CALLS), ([, method = "", path = ""]) =>
			this.#nameOf(method, path),
		);
		return names.find((name) => name !== undefined);
	}

	/** Returns the name of the tool for a call. The path may be a template. */
	#nameOf(method: string, path: string): string | undefined {
		const [route = ""] = `${method} ${path}`.split("?");
		const template = route.replace(/(\/(?:agents|activities|experiences)\/)[^/]+/, "$1{}");
		const found = this.#byRoute.get(route) ?? this.#byRoute.get(template);
		return found?.tool.name;
	}

	#list(tool: Tool, { registration }: Instance) {
		const { name, title, description, showsGuests, write } = tool;
		return {
			name,
			title,
			description: showsGuests ? `${description} ${UNTRUSTED}` : description,
			inputSchema: inputSchemaOf(tool, registration, (text) => this.translate(text)),
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

/** Returns a route with `{}` for each parameter. */
function templateOf(route: string): string {
	return route.replace(/:\w+/g, "{}");
}
