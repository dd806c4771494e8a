import { ResortError } from "../lib/resort-error.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { handle, type Pipeline } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import {
	ignoredArguments,
	pickOperations,
	toOperationCall,
} from "./tool-arguments.ts";
import { toToolError } from "./tool-error.ts";
import { API_KEY } from "./tool-schemas.ts";
import type { ReadyTool, Toolbox } from "./toolbox.ts";
import type { Arguments } from "./tools.ts";

/** Larger results are refused: only lists are as large, and they can be requested in parts. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** The result of a tool (`CallToolResult` of the protocol); a refusal has only its text. */
export interface ToolResult {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
}

/** A call that makes sense next, as operations return it. */
interface NextCall {
	readonly method: string;
	readonly path: string;
}

/** Runs tools. */
export class ToolRunner {
	readonly #pipeline: Pipeline;
	readonly #toolbox: Toolbox;

	constructor(pipeline: Pipeline, toolbox: Toolbox) {
		this.#pipeline = pipeline;
		this.#toolbox = toolbox;
	}

	/** Runs the operations of a tool. */
	async run(
		{ tool, operations }: ReadyTool,
		args: Arguments,
		source: CallSource,
	): Promise<ToolResult> {
		const picked = pickOperations(tool, operations, args);
		let result: Record<string, unknown> = {};
		for (const operation of picked) {
			const answer = await this.#call({
				...withKey(source, args),
				...toOperationCall(tool, operation, args),
			});
			if (answer.failure !== null) {
				source.record.refused = answer.status;
				return this.#refusal(answer.failure, tool.name);
			}
			if (answer.body instanceof ResponseBody) {
				result = { ...result, ...JSON.parse(await answer.body.text()) };
			}
		}
		const ignored = ignoredArguments(tool, picked, args);
		const { adds } = tool;
		const { hint, next } = result;
		const structuredContent = {
			...result,
			...(typeof hint === "string" && { hint: this.#toolbox.translate(hint) }),
			...(Array.isArray(next) && {
				next: next.map((call) => this.#withTool(call)),
			}),
			...(adds && adds.with in result && { [adds.name]: adds.text }),
			...(ignored.length > 0 && { ignored }),
		};
		const text = JSON.stringify(structuredContent);
		return { content: [{ type: "text", text }], structuredContent };
	}

	async #call(call: Parameters<typeof handle>[1]): Promise<Answer> {
		const answer = await handle(this.#pipeline, call);
		const { body } = answer;
		const length = body instanceof ResponseBody ? body.length : 0;
		if (length <= MAX_RESULT_BYTES) return answer;
		const error = new ResortError(
			"invalid",
			"The answer is too large for a tool",
			{ hint: "Ask for a part of it with limit and offset." },
		);
		return this.#pipeline.failures.of(error, call.request);
	}

	#refusal(
		{ error, body }: NonNullable<Answer["failure"]>,
		name: string,
	): ToolResult {
		const text = JSON.stringify(toToolError(error, body, name, this.#toolbox));
		return { content: [{ type: "text", text }], isError: true };
	}

	/** Adds the name of the tool that makes a call, if there is one. */
	#withTool(call: NextCall): object {
		const tool = this.#toolbox.nameOf(call.method, call.path);
		return tool === undefined ? call : { ...call, tool };
	}
}

/** The key may be an argument instead of a header field. */
function withKey(source: CallSource, args: Arguments): CallSource {
	const { credentials } = source;
	const apiKey = credentials.apiKey ?? args[API_KEY] ?? null;
	return typeof apiKey === "string"
		? { ...source, credentials: { ...credentials, apiKey } }
		: source;
}
