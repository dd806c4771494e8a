import type { AgentProfile } from "./agents/model.ts";
import type { EventLog } from "./events/event-log.ts";
import type { ServiceContext } from "./service-context.ts";

/**
 * The context of operations: the context of services, plus objects of higher layers. A feature adds its own
 * fields by declaration merging.
 */
export interface Context extends ServiceContext {
	readonly sessions: Sessions;
	readonly eventLog: EventLog;
	/** The public URL, without a trailing slash. */
	readonly baseUrl: string;
	/** Host names in lower case that, like loopback names, mean this machine. */
	readonly localHosts: readonly string[];
	/**
	 * The functions that close the connections of the open event streams and of the waiting calls; null if no
	 * feature needs to close them.
	 */
	readonly openCalls: Readonly<Record<"streams" | "calls", Set<() => void>>> | null;
}

/** Creates sessions. */
export interface Sessions {
	/**
	 * Creates a session for the agent that an API key belongs to.
	 * @param address returns the client's IPv4 address or IPv6 /64 network, by which rate limits count calls
	 * @param isVisit false for calls from the page /me, which do not update the agent's `lastActive`
	 * @returns the token, of which only a hash is stored
	 * @throws ResortError `unauthorized`; `unavailable` if the identity provider does not respond
	 */
	begin(
		apiKey: string,
		address: () => string,
		isVisit: boolean,
	): Promise<{ readonly agent: AgentProfile; readonly token: string }>;
}
