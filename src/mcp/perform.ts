import type { Answering } from "../http/answering.ts";
import type { Place } from "../http/failure.ts";
import { type Sender, use } from "../http/use.ts";
import {
	ignoredArguments,
	pickOperations,
	toOperationCall,
} from "./tool-arguments.ts";
import { toToolError } from "./tool-error.ts";
import { API_KEY } from "./tool-schemas.ts";
import type { ReadyTool, Toolbox } from "./toolbox.ts";
import type { Arguments } from "./tools.ts";

/** The result of a tool (`CallToolResult` of the protocol); a refusal has its text alone. */
export interface ToolResult {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
}

/** A call that makes sense now, as answers tell it. */
interface Advice {
	readonly method: string;
	readonly path: string;
}

/** Performs tools. */
export class Performer {
	readonly #answering: Answering;
	readonly #toolbox: Toolbox;

	constructor(answering: Answering, toolbox: Toolbox) {
		this.#answering = answering;
		this.#toolbox = toolbox;
	}

	/**
	 * Performs a tool; it never fails.
	 * @param place where it happens, for the log
	 */
	async perform(
		ready: ReadyTool,
		args: Arguments,
		sender: Sender,
		place: Place,
	): Promise<ToolResult> {
		const { name } = ready.tool;
		try {
			const answer = await this.#answer(ready, args, withKey(sender, args));
			return {
				content: [{ type: "text", text: JSON.stringify(answer) }],
				structuredContent: answer,
			};
		} catch (error) {
			const { status, body } = this.#answering.failures(error, place);
			sender.found.refused = status;
			const refusal = toToolError(error, body, name, this.#toolbox);
			const text = JSON.stringify(refusal);
			return { content: [{ type: "text", text }], isError: true };
		}
	}

	async #answer(
		{ tool, operations }: ReadyTool,
		args: Arguments,
		sender: Sender,
	): Promise<Record<string, unknown>> {
		const picked = pickOperations(tool, operations, args);
		let answer: Record<string, unknown> = {};
		for (const operation of picked) {
			const meant = toOperationCall(tool, operation, args);
			const { text } = await use(this.#answering, sender, meant);
			answer = { ...answer, ...JSON.parse(text) };
		}
		const ignored = ignoredArguments(tool, picked, args);
		const { adds } = tool;
		const { hint } = answer;
		return {
			...answer,
			...(typeof hint === "string" && { hint: this.#toolbox.translate(hint) }),
			...(Array.isArray(answer.next) && {
				next: answer.next.map((advice) => this.#withTool(advice)),
			}),
			...(adds && adds.with in answer && { [adds.name]: adds.text }),
			...(ignored.length > 0 && { ignored }),
		};
	}

	/** Advice with the tool that makes the call, where there is one. */
	#withTool(advice: Advice): object {
		const tool = this.#toolbox.nameOf(advice.method, advice.path);
		return tool === undefined ? advice : { ...advice, tool };
	}
}

/** A sender whose header fields hold no key gives it as an argument. */
function withKey(sender: Sender, args: Arguments): Sender {
	const { presented } = sender;
	const apiKey = presented.apiKey ?? args[API_KEY] ?? null;
	return typeof apiKey === "string"
		? { ...sender, presented: { ...presented, apiKey } }
		: sender;
}
