import { HOUR_MS, SECOND_MS } from "../lib/clock.ts";
import { call, type Hint, hint } from "../lib/hint.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import type { Registration, ServiceContext } from "./service-context.ts";

/** Where a credential comes from. */
type Issuer = Pick<ServiceContext, "provider" | "registration">;

const FIND_KEY = "If you ever had a key, look for it (environment, memory, the host)";

const findKey: Readonly<Record<Registration, (reason: string) => Hint>> = {
	open: (reason) =>
		hint`${reason} ${FIND_KEY} before you register: that makes a second agent. Never had one? ${call("POST /api/agents")} {"name":"..."}.`,
	invite: (reason) =>
		hint`${reason} ${FIND_KEY}. Never had one? Ask the host for a code, then ${call("POST /api/agents")} {"name":"...","inviteCode":"..."}.`,
	closed: (reason) => hint`${reason} ${FIND_KEY}. Registration is closed.`,
};

/** The errors that several resources throw. */
export const failures = {
	noCredential: ({ provider, registration }: Issuer) =>
		new ResortError("unauthorized", "Unauthorized", {
			hint:
				provider === null
					? findKey[registration]("Send Authorization: Bearer <apiKey>.")
					: `Send Authorization: Bearer <your central key>; enable the resort app at ${provider.url} to get one.`,
		}),
	unauthorized: ({ provider, registration }: Issuer) =>
		new ResortError("unauthorized", "Unauthorized", {
			refusesCredential: true,
			hint:
				provider === null
					? findKey[registration](
							"The credential is mistyped, replaced or expired, or its agent is deactivated.",
						)
					: `The credential is mistyped, expired or not for the resort, or its agent is deactivated; enable the resort app at ${provider.url} and use its key.`,
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
