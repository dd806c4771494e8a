import type { TObject } from "@sinclair/typebox";
import type { Operation, ToolDescription } from "../../core/resort/operation.ts";
import type { JsonSchema } from "../documents/operation-schema.ts";

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The JSON of a tool's result. */
export type Result = Readonly<Record<string, unknown>>;

/** Returns the call for another page of a list: the same arguments without the key, at another position. */
export function nextPage(tool: string, { apiKey: _, ...args }: Arguments, position: Arguments) {
	return { tool, arguments: { ...args, ...position }, why: "The next page." };
}

/** An argument of a tool. */
export interface ToolField {
	readonly name: string;
	readonly isRequired: boolean;
	readonly schema: JsonSchema;
}

/** A tool. It serves one goal of an agent and runs the operations for that goal. */
export interface Tool extends ToolDescription {
	/** The routes of the tool's operations, such as `POST /api/checkin`. */
	readonly routes: readonly string[];
	readonly operations: readonly Operation[];
	/** The arguments, except the key. */
	readonly fields: readonly ToolField[];
	/** Returns the routes that a call runs. By default, the tool runs all its operations in order. */
	readonly pick?: (args: Arguments) => readonly string[];
	/** Arguments of the tool that none of its operations has. */
	readonly extra?: TObject;
	/** Schemas that replace those of the operations' arguments, for example to lower a maximum. */
	readonly schemas?: Readonly<Record<string, JsonSchema>>;
	/** Routes that the tool does not call. Hints that name one of them show this tool instead. */
	readonly standsFor?: readonly string[];
	/** For each route, the extra arguments that make the tool call it. */
	readonly argumentsOf?: Readonly<Record<string, Arguments>>;
	/** Converts the merged responses of the operations to a result with other fields. */
	readonly present?: (result: Result, args: Arguments) => Result;
	/** True if the argument `name` can replace the argument `ids`, which is then not required. */
	readonly findsByName?: true;
	/** True if the tool registers an agent. A caller with a valid key must set `another` for this. */
	readonly createsAgent?: true;
	/** Undefined for a tool that only reads. */
	readonly write?: { readonly isDestructive?: true; readonly isIdempotent?: true };
}
