import { DAY_MS, toTimestamp } from "../../../core/lib/clock.ts";
import type { Random } from "../../../core/lib/random.ts";
import { invalid, ResortError } from "../../../core/lib/resort-error.ts";
import { hashOfCode } from "../../../core/resort/registration-invites/service.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { invites } from "../../../core/store/tables.ts";
import type { Arguments } from "../arguments.ts";
import { type AdminContext, record } from "../history.ts";
import { allInvites, deleteEndedInvites, deleteInvite, insertInvite, invitesNamed } from "./queries.ts";

/** How long an invitation remains listed after it has expired. */
const LISTED_MS = 30 * DAY_MS;

/**
 * Creates an invitation, and deletes invitations that expired more than 30 days ago. Returns the new
 * invitation with its code, which cannot be retrieved later.
 */
export function makeInvite(context: AdminContext, { uses, days }: Arguments) {
	const { store, clock, random } = context;
	return record(context, function* () {
		const createdAt = clock();
		const expiresAt = createdAt + days * DAY_MS;
		yield* deleteEndedInvites(store).run({ before: createdAt - LISTED_MS });
		const { code, label, codeHash } = createCode(random);
		const row = { label, uses, used: 0, createdAt, expiresAt };
		yield* insertInvite(store).run({ ...row, codeHash });
		return { code, invite: toInfo(row) };
	});
}

/** Returns a page of the invitations, newest first, without their codes. */
export async function listInvites({ store }: ServiceContext, { limit, offset }: Arguments) {
	const invites = await store.read(() => allInvites(store).all({}));
	return { invites: invites.slice(offset, offset + limit).map(toInfo), total: invites.length, offset };
}

/**
 * Revokes an invitation by its whole code, or by the first word of its code.
 * @throws ResortError `not_found`; `invalid` if `code` is a single word and several codes begin with it
 */
export function revokeInvite(context: AdminContext, { code }: Arguments) {
	const { store } = context;
	return record(context, function* () {
		const label = code.trim().toLowerCase();
		const named = yield* invitesNamed(store).all({ codeHash: hashOfCode(code), label });
		const [invite] = named;
		if (invite === undefined) {
			throw new ResortError("not_found", "Invitation not found", {
				hint: "resort admin invites lists the first words of their codes.",
			});
		}
		if (named.length > 1) {
			throw invalid(`${named.length} invitations begin with ${invite.label}`, {
				hint: "Give the full code of one invitation.",
			});
		}
		yield* deleteInvite(store).run(invite);
		return { invite: toInfo(invite) };
	});
}

/** Converts a row to the invitation in a result. `label` is the first word of the code. */
function toInfo(row: Omit<typeof invites.$inferSelect, "codeHash">) {
	const { label, uses, used, createdAt, expiresAt } = row;
	return { label, uses, used, createdAt: toTimestamp(createdAt), expiresAt: toTimestamp(expiresAt) };
}

/**
 * The codes of invitations can be read aloud. A code consists of five words, such as
 * `lusab-babad-gutih-tugad-fidod`. Each word has five letters and encodes 16 bits (proquints,
 * https://arxiv.org/abs/0901.4016). The first word identifies the code and is not secret. The other four
 * words contain 64 secret bits. This is enough, because the number of registrations is limited for each
 * client address.
 */
const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aiou";
const WORDS = 5;

/**
 * Creates a code. Returns it with its first word and its hash, because only the word and the hash are stored.
 */
function createCode(random: Random) {
	const bytes = Buffer.from(random.bytes(2 * WORDS));
	const words = Array.from({ length: WORDS }, (_, at) => wordOf(bytes.readUInt16BE(2 * at)));
	const code = words.join("-");
	return { code, label: words[0] ?? "", codeHash: hashOfCode(code) };
}

function wordOf(bits: number): string {
	const consonant = (shift: number) => CONSONANTS[(bits >> shift) & 15];
	const vowel = (shift: number) => VOWELS[(bits >> shift) & 3];
	return [consonant(12), vowel(10), consonant(6), vowel(4), consonant(0)].join("");
}
