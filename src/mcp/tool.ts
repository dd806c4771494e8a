import type { TObject } from "@sinclair/typebox";
import type { JsonSchema } from "../guide/operation-schema.ts";
import type { Operation } from "../resort/operation.ts";

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The JSON of a tool's result. */
export type Result = Readonly<Record<string, unknown>>;

/** A tool. It serves one goal of an agent and runs the operations for that goal. */
export interface Tool {
	readonly name: string;
	readonly title: string;
	/**
	 * The purpose and requirements of the tool, for models. It contains the name of the resort, because hosts search the
	 * tools of all servers.
	 */
	readonly description: string;
	/** Whether the results contain texts written by guests. */
	readonly showsGuests?: true;
	/** The methods and paths of the operations. */
	readonly routes: readonly string[];
	readonly operations: readonly Operation[];
	/** Returns the routes that a call runs. By default, the tool runs all its operations in order. */
	readonly pick?: (args: Arguments) => readonly string[];
	/** Arguments that no operation has. */
	readonly extra?: TObject;
	/** Schemas that refine those of the operations in the input schema, such as a pattern or a lower maximum. */
	readonly schemas?: Readonly<Record<string, JsonSchema>>;
	/** Parameters of the operations that are not arguments of the tool. */
	readonly hidden?: readonly string[];
	/** Default arguments. */
	readonly defaults?: Readonly<Record<string, string>>;
	/** Other routes that hints and advice replace by this tool. */
	readonly standsFor?: readonly string[];
	/** For a route, the extra arguments that select it. */
	readonly argumentsOf?: Readonly<Record<string, Arguments>>;
	/** Converts the merged responses of the operations to the result. */
	readonly present?: (result: Result, args: Arguments) => Result;
	/** The result has other fields than the responses, so it has no output schema. */
	readonly isReshaped?: true;
	/** Required parameters that an extra argument can replace. */
	readonly optional?: readonly string[];
	/** The argument `name` can replace the argument `ids`. */
	readonly findsByName?: true;
	/** An agent with a key is refused unless it sets `another`. */
	readonly createsAgent?: true;
	/** Undefined for a tool that only reads. */
	readonly write?: {
		readonly isDestructive?: true;
		readonly isIdempotent?: true;
	};
}
