import { iso } from "../support/values.ts";
import type { Agent, Postcard } from "./entities.ts";

/** The private postcards that an agent sees, oldest first. */
export function received({ inbox, blocked }: Agent): Postcard[] {
	return inbox.filter(
		(postcard) => isShown(postcard) && !blocked.has(postcard.sender),
	);
}

/** When its recipient first wrote to the sender of a private postcard after it. */
export function answered({ sender, recipient, order, createdAt }: Postcard) {
	const answers = (recipient?.sent ?? []).filter(
		(one) =>
			one.recipient === sender &&
			one.order > order &&
			one.createdAt >= createdAt,
	);
	const first = Math.min(...answers.map((one) => one.createdAt));
	return { answeredAt: answers.length === 0 ? null : iso(first) };
}

/** Whether the host has not hidden a postcard. */
export function isShown({ hiddenAt }: Postcard): boolean {
	return hiddenAt === null;
}
