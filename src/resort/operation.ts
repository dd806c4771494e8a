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

/** The credentials that an operation accepts. `key` includes the identity provider's central keys and signed calls. */
export type Credentials = "none" | "any" | "key" | "session";

/** The authenticated agent and its credential. */
export interface Caller {
	readonly agent: AuthenticatedAgent;
	readonly credential:
		| { readonly kind: "key"; readonly keyId: string }
		| { readonly kind: "central" | "proxied"; readonly subject: string }
		| { readonly kind: "session"; readonly token: string };
}

/** The validated input of an operation. */
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
	/** Returns the key by which limits count the client's address. */
	readonly address: () => string;
	/** Whether the agent itself calls, and not the person behind it. */
	readonly isVisit: boolean;
	/** Ends the wait of a long poll; null if the call does not wait. */
	readonly waitSignal: WaitSignal | null;
}

/**
 * The events that invalidate a cached answer: none, all events of the agent with the id in the path, or all events of
 * some types.
 */
export type InvalidatedBy = "nothing" | "agent" | readonly EventType[];

/** The query parameters of a request, not validated. */
export type SentQuery = Readonly<Record<string, string>>;

/** An operation of the API. All interfaces call the same operations. */
export interface Operation {
	/** The `operationId` in OpenAPI and the capability of a signed call. */
	readonly id: string;
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** Such as `/api/agents/:id`. */
	readonly path: string;
	readonly summary: string;
	/** In Markdown. */
	readonly description?:
		| string
		| ((provider: ServiceContext["provider"]) => string | undefined);
	/** Its group in documents, which `operations.ts` sets. */
	readonly tag?: string;
	readonly credential: Credentials;
	/** The feature without which an instance does not have the operation. */
	readonly only?: "provider" | "testkit" | "webhooks";
	readonly limit?: LimitName;
	readonly query?: TObject;
	/** The query parameters that are lists: repeated ones are joined by commas. */
	readonly lists?: readonly string[];
	readonly body?: TSchema;
	/** Another accepted body, of which no field is read; `when` recognizes it, and gets the body before its validation. */
	readonly alternative?: {
		readonly when: (body: object) => boolean;
		readonly body: TSchema;
	};
	/** Leaves out fields that do not count, before the body is validated. */
	readonly prepare?: (body: object) => object;
	/** The schemas of successful responses by status; the lowest status is the default. */
	readonly answers: Readonly<Record<number, TSchema>>;
	/** Other schemas of the default status, by the values of the query parameter `view`. */
	readonly views?: Readonly<Record<string, TSchema>>;
	/** The statuses of failures that its path, credential, schemas and limit do not imply. */
	readonly failures?: readonly number[];
	/** The media types of a document; JSON by default. */
	readonly mediaTypes?: readonly string[];
	/** A page has the same path; the `Accept` field selects one of them. */
	readonly byAccept?: true;
	/** The operation that replaces this one for queries about the caller; it requires a credential. */
	readonly own?: {
		readonly when: (query: SentQuery) => boolean;
		readonly operation: Operation;
	};
	/** Answers are cached only if this is set. */
	readonly invalidatedBy?: InvalidatedBy;
	/** Answers have no `ETag`. */
	readonly isFresh?: true;
	/** The query parameter `wait`, in seconds, requests a long poll. */
	readonly waits?: true;
	/** Returns the events of a stream, if a client accepts `text/event-stream`. */
	streams?(input: Input): Filter;
	run(input: Input): object | Promise<object>;
}

/** A method and a path, such as `GET /api/agents/:id`. */
type Route = `${Operation["method"]} /${string}`;

/** The parameters of a path. */
type ParamsOf<Path extends string> =
	Path extends `${string}:${infer Name}/${infer Rest}`
		? { readonly [Key in Name]: string } & ParamsOf<Rest>
		: Path extends `${string}:${infer Name}`
			? { readonly [Key in Name]: string }
			: unknown;

interface Definition<
	Query extends TObject,
	Body extends TSchema,
	Other extends TSchema,
	Credential extends Credentials,
> extends Omit<
		Operation,
		"method" | "path" | "query" | "body" | "credential" | "run" | "streams"
	> {
	readonly query?: Query;
	readonly body?: Body;
	readonly alternative?: {
		readonly when: (body: object) => boolean;
		readonly body: Other;
	};
	/** `any` by default. */
	readonly credential?: Credential;
}

/** Returns the response body without `ok`, or a {@link Reply} with further details. */
type Handler<Given> = { streams?(input: Given): Filter } & (
	| { run(input: Given): object | Reply | Promise<object | Reply> }
	/** A task that only reads. */
	| { read(input: Given): Task<object | Reply> }
);

/**
 * Defines the operation of a route; the type of its handler's input follows from the schemas. Answers of an operation
 * that writes may list the unknown fields of the body; the testkit refuses such fields instead.
 */
export function operation<
	const R extends Route,
	Query extends TObject,
	Body extends TSchema,
	const Credential extends Credentials = "any",
	Other extends TSchema = Body,
>(
	route: R,
	definition: Definition<Query, Body, Other, Credential> &
		Handler<
			Input<
				ParamsOf<R>,
				Static<Query>,
				Static<Body> | Static<Other>,
				Credential extends "none" ? null : Caller
			>
		>,
): Operation {
	const [method, path] = route.split(" ") as [Operation["method"], string];
	// The pipeline has validated the input with these schemas.
	const defined = definition as unknown as Omit<Operation, "run" | "streams"> &
		Handler<Input>;
	const run: Operation["run"] =
		"run" in defined
			? defined.run
			: (input) => input.context.store.read(() => defined.read(input));
	const { answers, only } = defined;
	const reportsIgnored = method !== "GET" && only !== "testkit";
	return {
		...defined,
		credential: definition.credential ?? "any",
		method,
		path,
		answers: reportsIgnored ? mapValues(answers, withIgnored) : answers,
		run,
	};
}

function withIgnored(schema: TSchema): TSchema {
	const ignored = Type.Optional(Ignored);
	return { ...schema, properties: { ...schema.properties, ignored } };
}
