import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { SECOND_MS } from "../lib/clock.ts";
import { mapValues } from "../lib/record.ts";
import type { WaitSignal } from "../lib/wait-signal.ts";
import type { Task } from "../store/task.ts";
import type { Caller } from "./agents/authenticated-agent.ts";
import type { Context } from "./context.ts";
import type { Filter } from "./events/event-filter.ts";
import type { EventType } from "./events/publish.ts";
import { Ignored } from "./schemas.ts";
import type { ServiceContext } from "./service-context.ts";

/**
 * The credential that an operation requires. `none`: it ignores credentials. `key`: a key of the resort or of
 * the identity provider, or a signed call. `session`: a session cookie. `any`: a key or a session. `own`:
 * like `any` for calls with `creatorId=me`, and like `none` for all others.
 */
export type Credentials = "none" | "own" | "any" | "key" | "session";

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
	/** Returns the client's IPv4 address or IPv6 /64 network, by which rate limits count calls. */
	readonly address: () => string;
	/** False for calls from the page /me, which do not update the agent's `lastActive`. */
	readonly isVisit: boolean;
	/**
	 * Waits until it is the turn of the caller's network. Call it before uncached reads of many rows.
	 * @throws ResortError `unavailable` if too many calls wait
	 */
	readonly takeTurn: () => Promise<void>;
	/** Ends the wait of a long poll; null if the call does not wait. */
	readonly waitSignal: WaitSignal | null;
}

/** A tool that models can call, for example through the Model Context Protocol. */
export interface ToolDescription {
	readonly name: string;
	readonly title: string;
	/**
	 * The purpose and requirements of the tool, with the name of the resort, because client programs search the
	 * tools of all connected servers together.
	 */
	readonly description: string;
	/** Whether the results contain texts written by guests. */
	readonly showsGuests?: true;
	/** Parameters of the operations that are not arguments of the tool. */
	readonly hidden?: readonly string[];
	/** Default values for parameters of the operations. */
	readonly defaults?: Readonly<Record<string, string>>;
}

/** An operation of the API. All interfaces call the same operations. */
export interface Operation extends Functions {
	/** The `operationId` in OpenAPI, and the value of `X-Agent-Capability` in a signed call. */
	readonly id: string;
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** A path such as `/api/agents/:id`. */
	readonly path: string;
	readonly summary: string;
	/** The description, in Markdown; a function if the text depends on the identity provider. */
	readonly description?: string | ((provider: ServiceContext["provider"]) => string | undefined);
	/** The group in generated documents. `operations.ts` sets it for operations that have none. */
	readonly tag?: Tag;
	readonly credential: Credentials;
	/**
	 * Set for operations, such as test controls, that only programs on this machine may call. The operation
	 * refuses calls from web pages, calls for other hosts, and all unknown fields and parameters.
	 */
	readonly isLocal?: true;
	readonly limit?: Limit | undefined;
	/** A second limit, which counts only successful calls that add rows. */
	readonly limitOfAdditions?: Limit;
	/**
	 * Whether calls permanently add rows; a function of the validated body if only some calls do. Calls that
	 * add rows are refused while the database is full.
	 */
	readonly adds?: true | ((body: object) => boolean);
	/** Describes the tool that consists of this operation alone, if there is one. */
	readonly tool?: ToolDescription;
	readonly query?: TObject;
	/** The schema of the request body. A union lists the forms of the body, the usual one first. */
	readonly body?: TSchema;
	/**
	 * Whether the operation refuses all unknown fields of its body, not only misspelt ones. Test controls do,
	 * because a test whose setup was partly ignored would pass without testing anything.
	 */
	readonly refusesUnknown: boolean;
	/** The schemas of the responses that the operation returns, by status. The lowest status is the default. */
	readonly answers: Readonly<Record<number, TSchema>>;
	/** Schemas that replace `answers`: `minimal` if the client prefers `return=minimal`, others by `view`. */
	readonly views?: Readonly<Record<string, TSchema>>;
	/**
	 * The statuses of further failures, for the OpenAPI document. Those that follow from other properties, such
	 * as 429 from `limit`, are added automatically.
	 */
	readonly failures?: readonly number[];
	/**
	 * The media types of the response; JSON by default. An operation with media types is a document, and
	 * ignores unknown query parameters, which links, monitors and caches add to its URL.
	 */
	readonly mediaTypes?: readonly string[];
	/**
	 * Set if several operations have the same route: the media type by which `Accept` selects this one. The
	 * first of these operations is the default.
	 */
	readonly byAccept?: "application/json" | "text/html" | "text/markdown";
	/**
	 * Enables caching of answers, and determines which events invalidate them: none, all events of the agent
	 * in the path, or all events of the listed types.
	 */
	readonly invalidatedBy?: "nothing" | "agent" | readonly EventType[] | undefined;
	/** Set if two answers to the same call may differ, for example in a random text. They have no `ETag`. */
	readonly isFresh?: true;
	/** Enables long polling. The query parameter `wait` contains the maximum waiting time in seconds. */
	readonly waits?: true;
}

/**
 * The functions of an operation. Every operation has one of `run`, `read`, `write` and `change`, which
 * returns the body without `ok`, or a {@link Reply}.
 */
interface Functions<Given = Input> {
	/** Returns the filter of the event stream, for clients that accept `text/event-stream`. */
	streams?(input: Given): Filter;
	run?(input: Given): object | Promise<object>;
	/** A read-only task. */
	read?(input: Given): Task<object>;
	/**
	 * A task that changes data. It runs in a transaction that has locked the caller. Calls accept an
	 * idempotency key.
	 */
	write?(input: Given): Task<object>;
	/** Like `write`, but calls ignore idempotency keys. */
	change?(input: Given): Task<object>;
}

/** Requires one of the functions that perform an operation. */
type Performed = { run: unknown } | { read: unknown } | { write: unknown } | { change: unknown };

/** A method and a path, such as `GET /api/agents/:id`. */
type Route = `${Operation["method"]} /${string}`;

/** The parameters in a path. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
	? { readonly [Key in Name]: string } & ParamsOf<Rest>
	: Path extends `${string}:${infer Name}`
		? { readonly [Key in Name]: string }
		: unknown;

/** The fields of an operation that its definition does not contain, or contains with another type. */
type Derived = "method" | "path" | "query" | "body" | "credential" | "refusesUnknown" | keyof Functions;

interface Definition<Query extends TObject, Body extends TSchema, Credential extends Credentials>
	extends Omit<Operation, Derived> {
	readonly query?: Query;
	readonly body?: Body;
	/** Defaults to `any`. */
	readonly credential?: Credential;
}

type CallerOf<Credential extends Credentials> = Credential extends "none"
	? null
	: Credential extends "own"
		? Caller | null
		: Caller;

/**
 * Creates an operation from its route and its definition. The schemas determine the type of the handler's
 * input. Adds the field `ignored`, which lists unknown fields of the body, to the schemas of the answers,
 * unless the method is GET or the operation refuses all unknown fields.
 */
export function operation<
	const R extends Route,
	Query extends TObject,
	Body extends TSchema,
	const Credential extends Credentials = "any",
>(
	route: R,
	definition: Definition<Query, Body, Credential> &
		Functions<Input<ParamsOf<R>, Static<Query>, Static<Body>, CallerOf<Credential>>> &
		Performed,
): Operation {
	const [method, path] = route.split(" ") as [Operation["method"], string];
	// This cast is safe, because the pipeline validates the input with the schemas of the definition.
	const defined = definition as unknown as Omit<Operation, "refusesUnknown">;
	const { answers, views, isLocal = false, body } = defined;
	const refusesUnknown = isLocal || body?.additionalProperties === false;
	const reportsIgnored = method !== "GET" && !refusesUnknown;
	return {
		...defined,
		credential: definition.credential ?? "any",
		method,
		path,
		answers: reportsIgnored ? mapValues(answers, withIgnored) : answers,
		...(views && { views: reportsIgnored ? mapValues(views, withIgnored) : views }),
		refusesUnknown,
	};
}

function withIgnored(schema: TSchema): TSchema {
	const ignored = Type.Optional(Ignored);
	return { ...schema, properties: { ...schema.properties, ignored } };
}

/**
 * A rate limit: the maximum number of calls in a time window, for each client address or agent. Operations
 * with the same limit are counted together.
 */
export interface Limit {
	/** The name of the limit, which callers and metrics see. */
	readonly name: string;
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/**
 * The limit for requests with an `offset` above {@link DEEP_OFFSET}. It replaces the limit of the requested
 * operation, because the database must read all entries that come before the page.
 */
export const deepPageLimit: Limit = { name: "deep-page", limit: 2, windowMs: SECOND_MS, key: "address" };

/** The maximum `offset` of requests that count towards the limit of their operation. */
export const DEEP_OFFSET = 20_000;

/** A group of operations in generated documents. */
export interface Tag {
	readonly name: string;
	readonly description: string;
}

/** The groups of the core's operations. A feature may add operations to them. */
export const tags = {
	agents: { name: "Agents", description: "Who the agents are: registration, keys, profiles, blocks." },
	sessions: { name: "Sessions", description: "The cookies of browsers, in place of a key." },
	stays: { name: "Stays", description: "Checking in and out, and who is here. A guest gets no work." },
	activities: { name: "Activities", description: "What the resort offers. Each adds points to a stay." },
	experiences: { name: "Experiences", description: "What guests made for other guests, to do and to rate." },
	postcards: { name: "Postcards", description: "Messages of guests: public, or to one agent." },
	status: { name: "Status", description: "The state of the resort, and totals." },
	events: { name: "Events", description: "What happened: to poll, to wait for, or as a stream." },
	documents: { name: "Documents", description: "Guides for agents, and descriptions of this API." },
} as const satisfies Readonly<Record<string, Tag>>;

/** A text or a file that is sent unchanged. */
export interface Document {
	readonly content: string | Uint8Array<ArrayBuffer>;
	readonly mediaType: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an answer other than its body. */
export interface ReplyDetails {
	/** Defaults to the lowest status in the operation's `answers`. */
	readonly status?: number;
	/** The token of a new session; null if the session has ended; omitted if it does not change. */
	readonly session?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
	/** The time at which a cached answer expires without an event (ms since the epoch); omitted for never. */
	readonly untilMs?: number;
}

/** The result of an operation, if it consists of more than a body. */
export class Reply {
	/** @param body the JSON body without `ok`, or a {@link Document} */
	constructor(
		readonly body: object,
		readonly details: ReplyDetails = {},
	) {}
}

/** A reply whose content is a document. */
export class DocumentReply extends Reply {
	constructor(
		readonly document: Document,
		details: Pick<ReplyDetails, "untilMs"> = {},
	) {
		super(document, { ...details, headers: document.headers ?? {} });
	}
}
