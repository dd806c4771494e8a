import { HOUR_MS, SECOND_MS } from "../lib/clock.ts";
import { call, hint } from "../lib/hint.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";

const findKey = (reason: string) =>
	hint`${reason} If you ever had a key, look for it (environment, memory, the host) before you register: that makes a second agent. Never had one? ${call("POST /api/agents")} {"name":"..."}.`;

/**
 * The errors that several resources throw. `provider` is the URL of the identity provider, if there is one.
 */
export const failures = {
	noCredential: (provider: string | undefined) =>
		new ResortError("unauthorized", "Unauthorized", {
			hint:
				provider === undefined
					? findKey("Send Authorization: Bearer <apiKey>.")
					: `Send Authorization: Bearer <your central key>; enable the resort app at ${provider} to get one.`,
		}),
	unauthorized: (provider: string | undefined) =>
		new ResortError("unauthorized", "Unauthorized", {
			refusesCredential: true,
			hint:
				provider === undefined
					? findKey("The credential is mistyped, replaced or expired, or its agent is deactivated.")
					: `The credential is mistyped, expired or not for the resort, or its agent is deactivated; enable the resort app at ${provider} and use its key.`,
		}),
	keyElsewhere: (provider: string) =>
		invalid(`Keys are created and replaced at the identity provider: ${provider}`),
	agentNotFound: () =>
		new ResortError("not_found", "Agent not found", {
			hint: hint`An id is a UUID. ${call("GET /api/agents", { search: "NAME" })} finds other agents; ${call("GET /api/me")} returns your own id.`,
		}),
	notCheckedIn: () => invalid("Not checked in", { hint: hint`Call ${call("POST /api/checkin")} first.` }),
	full: () =>
		new ResortError("full", "The resort is full", {
			hint: "Reading, check-out, replacing a key and archiving still work. Repeat the call later.",
			retryAfterSeconds: HOUR_MS / SECOND_MS,
		}),
} as const;
