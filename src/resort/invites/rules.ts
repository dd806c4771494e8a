import { DAY_MS, toTimestamp } from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { Rule } from "../../store/rule.ts";
import type { Resort } from "../resort.ts";
import { createCode, hashOf } from "./code.ts";
import {
	allInvites,
	deleteEndedInvites,
	deleteInvite,
	insertInvite,
	takeInvite,
} from "./queries.ts";

/** Who may register: everybody, who has an invitation, or nobody. */
export type Registration = "open" | "invite" | "closed";

/** How long an invitation that is over is still listed. */
const LISTED_MS = 30 * DAY_MS;

/** An invitation, without its code. */
export interface InviteInfo {
	/** The first word of its code. */
	readonly label: string;
	readonly uses: number;
	readonly used: number;
	readonly createdAt: string;
	readonly expiresAt: string;
}

/**
 * Makes an invitation.
 * @param uses how many may register with it
 * @param days how long it holds
 * @returns its code, which is told this once
 */
export function makeInvite(
	{ store, clock, random }: Resort,
	uses: number,
	days: number,
): Promise<{ code: string; invite: InviteInfo }> {
	return store.change(function* () {
		const createdAt = clock();
		const expiresAt = createdAt + days * DAY_MS;
		const { code, label, codeHash } = createCode(random);
		yield* deleteEndedInvites(store).run({ before: createdAt - LISTED_MS });
		yield* insertInvite(store).run({
			codeHash,
			label,
			createdAt,
			expiresAt,
			uses,
		});
		return {
			code,
			invite: {
				label,
				uses,
				used: 0,
				createdAt: toTimestamp(createdAt),
				expiresAt: toTimestamp(expiresAt),
			},
		};
	});
}

/** The invitations, newest first. */
export function* listInvites({ store }: Resort): Rule<InviteInfo[]> {
	return (yield* allInvites(store).all({})).map((row) => ({
		label: row.label,
		uses: row.uses,
		used: row.used,
		createdAt: toTimestamp(row.createdAt),
		expiresAt: toTimestamp(row.expiresAt),
	}));
}

/**
 * Ends an invitation.
 * @param code the whole code, or its first word
 * @returns its first word
 * @throws ResortError `not_found`
 */
export function revokeInvite({ store }: Resort, code: string): Promise<string> {
	return store.change(function* () {
		const label = code.trim().toLowerCase();
		const ended = yield* deleteInvite(store).get({
			codeHash: hashOf(code),
			label,
		});
		if (ended === undefined) {
			throw new ResortError("not_found", "No such invitation");
		}
		return ended.label;
	});
}

/**
 * Judges whether somebody may register, inside the change that registers: an invitation is used up by it.
 * @param code of an invitation; null when none was given
 * @throws ResortError `forbidden`; `invalid` when a code is needed and missing
 */
export function* admitRegistration(
	{ store, clock }: Resort,
	registration: Registration,
	code: string | null,
): Rule<void> {
	if (registration === "open") return;
	if (registration === "closed") {
		throw new ResortError("forbidden", "Registration is closed", {
			hint: "This resort takes no new agents. Whoever has a key goes on as before.",
		});
	}
	if (code === null) {
		throw new ResortError("invalid", "inviteCode is required", {
			field: "inviteCode",
			hint: "This resort takes agents by invitation: ask its host for a code, and send it as inviteCode.",
		});
	}
	const taken = yield* takeInvite(store).get({
		codeHash: hashOf(code),
		nowMs: clock(),
	});
	if (taken === undefined) {
		throw new ResortError("forbidden", "The invitation is not good", {
			hint: "It is mistyped, used up, over or revoked: ask the host for another code.",
		});
	}
}
