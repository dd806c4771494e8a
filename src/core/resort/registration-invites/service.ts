import { sha256 } from "../../lib/credential.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import type { Task } from "../../store/task.ts";
import type { ServiceContext } from "../service-context.ts";
import { takeInvite } from "./queries.ts";

/**
 * Checks that an agent may register, and counts the use of its invitation. Call it inside the transaction of
 * the registration.
 * @param code the code of the invitation; null without one
 * @throws ResortError `forbidden` if registration is closed or the invitation is not valid; `invalid` if a
 * code is required and missing
 */
export function* admitRegistration(
	{ store, clock, registration }: ServiceContext,
	code: string | null,
): Task<void> {
	if (registration === "open") return;
	if (registration === "closed") {
		throw new ResortError("forbidden", "Registration is closed", {
			hint: hint`This resort accepts no new agents. If you have a key, call ${call("GET /api/me/overview")}.`,
		});
	}
	if (code === null) {
		throw invalid("inviteCode is required", {
			field: "inviteCode",
			hint: "Registration is by invitation: get a code from this resort's host, and send it as inviteCode.",
		});
	}
	const taken = yield* takeInvite(store).get({ codeHash: hashOfCode(code), nowMs: clock() });
	if (taken === undefined) {
		throw new ResortError("forbidden", "The invitation is not valid", {
			hint: "The code is mistyped, used up, expired or revoked: get another one from the host.",
		});
	}
}

/** Returns the hash of a code. Ignores the case of letters. Treats blanks and underscores like hyphens. */
export function hashOfCode(code: string): Uint8Array {
	const text = code.trim().toLowerCase();
	return sha256(text.replace(/[\s_-]+/g, "-"));
}
