import {
	type Static,
	type TObject,
	type TSchema,
	Type,
} from "@sinclair/typebox";
import { mapValues } from "../lib/record.ts";
import type { WaitSignal } from "../lib/wait-signal.ts";
import type { Task } from "../store/task.ts";
import type { AuthenticatedAgent } from "./agents/authenticated-agent.ts";
import type { Context } from "./context.ts";
import type { Filter } from "./events/event-filter.ts";
import type { EventType } from "./events/publish.ts";
import type { LimitName } from "./limits.ts";
import type { Reply } from "./reply.ts";
import { Ignored } from "./schemas.ts";
import type { ServiceContext } from "./service-context.ts";

/**
 * Which credentials an operation takes: none, a key or a session, a key alone, a session alone. Where a key is
 * taken, so are the central keys and signed calls of an identity provider.
 */
export type Credentials = "none" | "any" | "key" | "session";

/** Who calls, and by which credential. */
export interface Caller {
	readonly agent: AuthenticatedAgent;
	readonly credential:
		| { readonly kind: "key"; readonly keyId: string }
		| { readonly kind: "central" | "proxied"; readonly subject: string }
		| { readonly kind: "session"; readonly token: string };
}

/** What an operation is called with; all of it has been judged. */
export interface Input<
	Params = Readonly<Record<string, string>>,
	Query = unknown,
	Body = unknown,
	Who = Caller | null,
> {
	readonly context: Context;
	readonly params: Params;
	readonly query: Query;
	readonly body: Body;
	readonly caller: Who;
	/** Gives the key by which limits count the caller's address. */
	readonly address: () => string;
	/** Whether the agent itself calls, and not a person who looks after it. */
	readonly isVisit: boolean;
	/** Lets it wait for as long as the caller asks for; null when it answers at once. */
	readonly waitSignal: WaitSignal | null;
}

/** What ends an answer that is kept ready. */
export type InvalidatedBy =
	/** Nothing: the answer is always the same. */
	| "nothing"
	/** Any news of the agent whose id is the parameter of the path. */
	| "agent"
	/** News of these types. */
	| readonly EventType[];

/** A query by name, as it was sent. */
export type SentQuery = Readonly<Record<string, string>>;

/** One thing that can be asked of the resort, whichever door is used. */
export interface Operation {
	/** Its name: the operation id of OpenAPI, and the capability of a signed call. */
	readonly id: string;
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** A template such as `/api/agents/:id`. */
	readonly path: string;
	readonly summary: string;
	/** One or more sentences, in Markdown; they may depend on the provider. */
	readonly description?:
		| string
		| ((provider: ServiceContext["provider"]) => string | undefined);
	readonly tag: string;
	readonly credential: Credentials;
	/** Only such instances have it; all have it when left out. */
	readonly only?: "provider" | "testkit" | "webhooks";
	readonly limit?: LimitName;
	readonly query?: TObject;
	/** Brings a judged query to one form for all queries with the same answer; ready answers are found by it. */
	readonly canonical?: (
		query: Readonly<Record<string, string | number>>,
	) => Readonly<Record<string, string | number>>;
	/** The names of query parameters that hold lists: repeated ones are joined by commas. */
	readonly lists?: readonly string[];
	readonly body?: TSchema;
	/** Another body that it takes instead, of which nothing is read; `when` sees the body before it is judged. */
	readonly alternative?: {
		readonly when: (body: object) => boolean;
		readonly body: TSchema;
	};
	/** Leaves out of a body, which was not judged yet, what does not count. */
	readonly prepare?: (body: object) => object;
	/** The bodies of success, by their statuses; the lowest status is the usual one. */
	readonly answers: Readonly<Record<number, TSchema>>;
	/** Other bodies of its usual answer, by the values of its query parameter `view`. */
	readonly views?: Readonly<Record<string, TSchema>>;
	/** Statuses of failure that its rules add to those that its credential, bounds and limit imply. */
	readonly failures?: readonly number[];
	/** The media types of its answer when it is a document; JSON when left out. */
	readonly mediaTypes?: readonly string[];
	/** Whether its path has another operation for those who would rather have HTML; the field `Accept` decides. */
	readonly byAccept?: true;
	/** The operation that takes its place for the caller's own things, which need a credential, and when it does. */
	readonly own?: {
		readonly when: (query: SentQuery) => boolean;
		readonly operation: Operation;
	};
	/** What ends its answer once it is kept ready; it is not kept when left out. */
	readonly invalidatedBy?: InvalidatedBy;
	/** Whether the answer carries no validator: it is drawn anew, or asked to be fresh. */
	readonly isFresh?: true;
	/** Whether it waits when the query says so with `wait`, in seconds. */
	readonly waits?: true;
	/** Which events it tells those who ask for a stream of events instead of an answer. */
	streams?(input: Input): Filter;
	run(input: Input): object | Promise<object>;
}

/** The names in a path template. */
type ParamsOf<Path extends string> =
	Path extends `${string}:${infer Name}/${infer Rest}`
		? { readonly [Key in Name]: string } & ParamsOf<Rest>
		: Path extends `${string}:${infer Name}`
			? { readonly [Key in Name]: string }
			: unknown;

interface Definition<
	Path extends string,
	Query extends TObject,
	Body extends TSchema,
	Other extends TSchema,
	Credential extends Credentials,
> extends Omit<
		Operation,
		"path" | "query" | "body" | "credential" | "run" | "streams"
	> {
	readonly path: Path;
	readonly query?: Query;
	readonly body?: Body;
	readonly alternative?: {
		readonly when: (body: object) => boolean;
		readonly body: Other;
	};
	readonly credential: Credential;
}

/** What an operation does: it gives the answer's body without `ok`, or a {@link Reply} where there is more to say. */
type Doing<Given> = { streams?(input: Given): Filter } & (
	| { run(input: Given): object | Reply | Promise<object | Reply> }
	/** A rule that changes nothing. */
	| { read(input: Given): Task<object | Reply> }
);

/**
 * Makes an operation, whose function knows the types of what it is called with from the schemas. The answers of
 * one that changes something may tell which fields of the body nobody reads; test controls refuse such fields.
 */
export function operation<
	const Path extends string,
	Query extends TObject,
	Body extends TSchema,
	const Credential extends Credentials,
	Other extends TSchema = Body,
>(
	definition: Definition<Path, Query, Body, Other, Credential> &
		Doing<
			Input<
				ParamsOf<Path>,
				Static<Query>,
				Static<Body> | Static<Other>,
				Credential extends "none" ? null : Caller
			>
		>,
): Operation {
	// Whoever calls it judges the input by these schemas first, so that the types hold.
	const defined = definition as unknown as Omit<Operation, "run" | "streams"> &
		Doing<Input>;
	const made: Operation = { ...defined, run: runOf(defined) };
	if (made.method === "GET" || made.only === "testkit") return made;
	return { ...made, answers: mapValues(made.answers, withIgnored) };
}

function runOf(doing: Doing<Input>): Operation["run"] {
	if ("run" in doing) return doing.run;
	return (input) => input.context.store.read(() => doing.read(input));
}

/** The schema of an answer that may also tell which fields of the body nobody read. */
function withIgnored(schema: TSchema): TSchema {
	const ignored = Type.Optional(Ignored);
	return { ...schema, properties: { ...schema.properties, ignored } };
}
