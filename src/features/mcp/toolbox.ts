import { UNTRUSTED } from "../../content/mcp-texts.ts";
import type { NextCall } from "../../content/next-calls.ts";
import type { Pipeline } from "../../core/calls/handle.ts";
import { type Hint, httpText, type SuggestedCall } from "../../core/lib/hint.ts";
import type { Operation } from "../../core/resort/operation.ts";
import { type Arguments, nextPage, type Tool } from "./tool.ts";
import { inputSchemaOf } from "./tool-schemas.ts";
import { toolsOf } from "./tools.ts";

/** A suggested call of a tool. */
export interface ToolCall {
	readonly tool: string;
	readonly arguments: Arguments;
	readonly why: string;
}

/** The tools of an instance. */
export class Toolbox {
	readonly tools: readonly Tool[];
	/** The tools by the routes that they call or stand for. */
	readonly #byRoute: ReadonlyMap<string, Tool>;

	/** @param operations all operations of the instance */
	constructor(
		readonly pipeline: Pipeline,
		operations: readonly Operation[],
	) {
		this.tools = toolsOf(operations);
		this.#byRoute = new Map(
			this.tools.flatMap((tool) => [...tool.routes, ...(tool.standsFor ?? [])].map((route) => [route, tool])),
		);
	}

	/**
	 * Returns the tools in the form of the MCP response to `tools/list`. Schemas of results are
	 * omitted: they would need more tokens than the rest of the list.
	 */
	list(): object[] {
		return this.tools.map((tool) => {
			const { name, title, description, showsGuests, write } = tool;
			return {
				name,
				title,
				description: showsGuests ? `${description} ${UNTRUSTED}` : description,
				inputSchema: inputSchemaOf(tool, this.pipeline.context.registration),
				annotations: {
					readOnlyHint: write === undefined,
					...(write && {
						destructiveHint: write.isDestructive ?? false,
						...(write.isIdempotent && { idempotentHint: true }),
					}),
					openWorldHint: true,
				},
			};
		});
	}

	/** Returns the tool for a call; undefined if there is none. */
	toolFor({ operation }: SuggestedCall): Tool | undefined {
		return this.#byRoute.get(operation);
	}

	/** Returns the text of a hint. Calls appear as names of tools or, if there is no tool, as HTTP calls. */
	write(hint: Hint | string): string {
		return typeof hint === "string" ? hint : hint.write((call) => this.toolFor(call)?.name ?? httpText(call));
	}

	/** Converts a suggested call to a call of a tool. Returns undefined if there is no tool for it. */
	toToolCall(call: NextCall): ToolCall | undefined {
		const tool = this.toolFor(call);
		if (tool === undefined) return undefined;
		const known = Object.entries(call.parameters).filter(([sent]) =>
			tool.fields.some(({ name }) => name === sent),
		);
		return {
			tool: tool.name,
			arguments: { ...tool.argumentsOf?.[call.operation], ...Object.fromEntries(known) },
			why: call.why,
		};
	}
}

/**
 * Returns the call for the next page of a list; undefined if the tool shows only one page.
 * @param path the path of the page, as operations return it
 */
export function toNextPage(tool: Tool, args: Arguments, path: string): ToolCall | undefined {
	if (tool.hidden?.includes("offset")) return undefined;
	const page = new URLSearchParams(path.slice(path.indexOf("?")));
	const position = ["limit", "offset"].map((name) => [name, Number(page.get(name))]);
	return nextPage(tool.name, args, Object.fromEntries(position));
}
