import {
	desc,
	eq,
	getTableColumns,
	inArray,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import { toTimestamp } from "../../lib/clock.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { textOrNull } from "../../lib/text.ts";
import { pageOf } from "../../store/page.ts";
import { prepared } from "../../store/store.ts";
import { agents, postcards, stays } from "../../store/tables.ts";
import { writeAs } from "../agents/known.ts";
import { findAgent, getAgent } from "../agents/service.ts";
import type { Resort } from "../resort.ts";
import type { Page } from "../schemas.ts";
import { requireOpenStay } from "../stays/service.ts";
import type { PostcardInfo, SendPostcardBody } from "./model.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];

const list = (condition: SQL) =>
	prepared((db) =>
		db
			.select({ ...getTableColumns(postcards), senderName: agents.name })
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(inArray(postcards.seq, pageOf(db, postcards, condition, newest)))
			.orderBy(...newest)
			.prepare(),
	);

const agentId = sql.placeholder("agentId");
const publicOnes = list(isNull(postcards.recipientId));
const sentBy = list(eq(postcards.senderId, agentId));
const sentTo = list(eq(postcards.recipientId, agentId));

/** Counts a postcard with the stay during which it was sent. */
export const countPostcard = prepared((db) =>
	db
		.update(stays)
		.set({ postcardsSent: sql`${stays.postcardsSent} + 1` })
		.where(eq(stays.id, sql.placeholder("stayId")))
		.prepare(),
);

/**
 * Sends a postcard (POST /api/postcards): to everybody, or to one agent when it names a recipient.
 * @throws ResortError `invalid` when the sender is not checked in, or the recipient is unknown or gone
 */
export function sendPostcard(
	resort: Resort,
	agentId: string,
	body: SendPostcardBody,
): Promise<PostcardInfo> {
	const { store, clock, random } = resort;
	return writeAs(resort, agentId, body.recipientId ? [] : ["board"], (db) => {
		const stay = requireOpenStay(resort, agentId);
		const recipientId = body.recipientId
			? requireRecipient(resort, body.recipientId)
			: null;
		const nowMs = clock();
		const postcard = db
			.insert(postcards)
			.values({
				id: random.uuid(nowMs),
				stayId: stay.id,
				senderId: agentId,
				recipientId,
				message: body.message,
				mood: textOrNull(body.mood),
				location: textOrNull(body.location),
				createdAt: nowMs,
			})
			.returning()
			.get();
		countPostcard(store).run({ stayId: stay.id });
		return toInfo({ ...postcard, senderName: getAgent(resort, agentId).name });
	});
}

/** The public board, newest first (GET /api/postcards). */
export function listPublic({ store }: Resort, page: Page): PostcardInfo[] {
	return publicOnes(store)
		.all({ ...page })
		.map(toInfo);
}

/** What an agent has sent, public and private, newest first (GET /api/postcards/mine). */
export function listSent(
	{ store }: Resort,
	agentId: string,
	page: Page,
): PostcardInfo[] {
	return sentBy(store)
		.all({ agentId, ...page })
		.map(toInfo);
}

/** What was sent to an agent alone, newest first (GET /api/postcards/inbox). */
export function listInbox(
	{ store }: Resort,
	agentId: string,
	page: Page,
): PostcardInfo[] {
	return sentTo(store)
		.all({ agentId, ...page })
		.map(toInfo);
}

function requireRecipient(resort: Resort, id: string): string {
	const recipient = findAgent(resort, id);
	if (recipient === null) {
		throw new ResortError("invalid", "Recipient not found", {
			field: "recipientId",
			hint: "Call GET /api/lobby for ids of guests, or leave recipientId out for a public postcard.",
		});
	}
	return recipient.id;
}

function toInfo(
	row: typeof postcards.$inferSelect & { readonly senderName: string },
): PostcardInfo {
	return {
		id: row.id,
		senderName: row.senderName,
		senderId: row.senderId,
		message: row.message,
		mood: row.mood,
		location: row.location,
		visibility: row.recipientId === null ? "public" : "private",
		createdAt: toTimestamp(row.createdAt),
	};
}
