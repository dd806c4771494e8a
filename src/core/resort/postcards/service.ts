import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { findAgent, getAgent } from "../agents/service.ts";
import { blockOf } from "../blocks/queries.ts";
import { publish } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import { countPostcard } from "../stays/queries.ts";
import { findOpenStay, requireOpenStay, type Stay } from "../stays/service.ts";
import type { OwnPostcardInfo, ReceivedPostcardInfo, Recipient, SendPostcardBody } from "./model.ts";
import { insertPostcard, type PostcardRow } from "./queries.ts";

/**
 * Sends a postcard. A postcard without a recipient is public. Call it inside a transaction that has locked
 * the sender.
 * @returns the postcard, its recipient, and the sender's open stay
 * @throws ResortError `invalid` if the sender is not checked in, or the recipient is unknown or deactivated;
 * `forbidden` if the recipient has blocked the sender
 */
export function* sendPostcard(
	context: ServiceContext,
	agentId: string,
	body: SendPostcardBody,
): Task<{ postcard: OwnPostcardInfo; recipient?: Recipient; stay: Stay }> {
	const { store, clock, random } = context;
	const stay = yield* requireOpenStay(context, agentId);
	const recipient = body.recipientId ? yield* findAgent(context, body.recipientId) : null;
	if (body.recipientId && recipient === null) {
		throw invalid("Recipient not found", {
			field: "recipientId",
			hint: hint`recipientId is an agent's id (a UUID), not its name: ${call("GET /api/lobby")} contains the ids of guests, and a postcard's senderId is its sender's. Without recipientId, the postcard is public.`,
		});
	}
	const recipientId = recipient?.id ?? null;
	const isBlocked =
		recipientId !== null &&
		(yield* blockOf(store).get({ agentId: recipientId, blockedId: agentId })) !== undefined;
	if (isBlocked) throw new ResortError("forbidden", "This guest does not take postcards from you");
	const nowMs = clock();
	const row = requireRow(
		yield* insertPostcard(store).get({
			id: random.uuid(nowMs),
			stayId: stay.id,
			senderId: agentId,
			recipientId,
			message: body.message,
			mood: body.mood || null,
			location: body.location || null,
			createdAt: nowMs,
		}),
	);
	yield* countPostcard(store).run({ id: stay.id });
	const about = { at: nowMs, agentId, subjectId: row.id };
	yield* publish(
		store,
		recipientId === null
			? { type: "postcard.sent", ...about }
			: { type: "postcard.received", ...about, recipientId },
	);
	const postcard = toInfo({
		...row,
		senderName: (yield* getAgent(context, agentId)).name,
		recipientName: recipient?.name ?? null,
	});
	if (recipient === null) return { postcard, stay };
	const { id, name } = recipient;
	const status = (yield* findOpenStay(context, id)) === null ? "available" : "relaxing";
	return { postcard, recipient: { id, name, status }, stay };
}

/** A postcard with the current name of its sender. */
type Postcard = Omit<PostcardRow, "senderGoneAt"> & { readonly recipientName?: string | null };

/** Converts a row to a postcard. The schema of the answer removes fields that the caller must not see. */
export function toInfo(row: Postcard): OwnPostcardInfo {
	return {
		...row,
		recipientName: row.recipientName ?? null,
		visibility: row.recipientId === null ? "public" : "private",
		createdAt: toTimestamp(row.createdAt),
	};
}

/** Whether the recipient of a private postcard has not answered it, and its sender is active. */
export function awaitsAnswer({
	answeredAt,
	senderGoneAt,
}: PostcardRow & { readonly answeredAt: number | null }) {
	return answeredAt === null && senderGoneAt === null;
}

/** Converts a row to a postcard for the recipient, with the time at which the recipient answered. */
export function toReceived(row: Postcard & { readonly answeredAt: number | null }): ReceivedPostcardInfo {
	return { ...toInfo(row), answeredAt: toTimestampOrNull(row.answeredAt) };
}
