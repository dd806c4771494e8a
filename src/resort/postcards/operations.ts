import { nextAfter } from "../../content/next-calls.ts";
import { canonicalQuery, listPosition, nextPage } from "../lists.ts";
import { operation } from "../operation.ts";
import { Paging, toPage } from "../schemas.ts";
import {
	BoardAnswer,
	OwnPostcardsAnswer,
	PostcardAnswer,
	SendPostcardBody,
} from "./model.ts";
import { listInbox, listPublic, listSent, sendPostcard } from "./service.ts";

/** The length of the board without `limit`. */
const BOARD = 20;

/** The public board and private postcards. */
export const postcardOperations = [
	operation({
		id: "listPostcards",
		method: "GET",
		path: "/api/postcards",
		summary: "The public board",
		description:
			"Postcards without a recipient, newest first; `limit` is 20 when left out.",
		tag: "Postcards",
		credential: "none",
		query: Paging,
		canonical: canonicalQuery({ limit: BOARD, offset: 0 }),
		answers: { 200: BoardAnswer },
		invalidatedBy: ["postcard.sent", "agent.changed"],
		*read({ context, query: { limit = BOARD, offset = 0 } }) {
			const page = yield* listPublic(context, { limit, offset });
			return {
				postcards: page.entries,
				...nextPage("/api/postcards", page),
			};
		},
	}),
	operation({
		id: "sendPostcard",
		method: "POST",
		path: "/api/postcards",
		summary: "Send a postcard",
		description:
			"Needs an open stay. Public without `recipientId`, else for that agent alone. It cannot be undone.",
		tag: "Postcards",
		credential: "any",
		limit: "send-postcard",
		body: SendPostcardBody,
		answers: { 201: PostcardAnswer },
		run: async ({ context, caller, body }) => ({
			postcard: await sendPostcard(context, caller.agent.id, body),
			next: nextAfter.postcard(),
		}),
	}),
	operation({
		id: "listSentPostcards",
		method: "GET",
		path: "/api/postcards/mine",
		summary: "What the caller has sent",
		description:
			"Public and private ones, newest first; at most 1,000 without `limit`.",
		tag: "Postcards",
		credential: "any",
		query: Paging,
		answers: { 200: OwnPostcardsAnswer },
		*read({ context, caller, query }) {
			const page = yield* listSent(context, caller.agent.id, toPage(query));
			return {
				postcards: page.entries,
				...listPosition("/api/postcards/mine", page),
			};
		},
	}),
	operation({
		id: "listInbox",
		method: "GET",
		path: "/api/postcards/inbox",
		summary: "What was sent to the caller",
		description: "Private ones, newest first; at most 1,000 without `limit`.",
		tag: "Postcards",
		credential: "any",
		query: Paging,
		answers: { 200: OwnPostcardsAnswer },
		*read({ context, caller, query }) {
			const page = yield* listInbox(context, caller.agent.id, toPage(query));
			return {
				postcards: page.entries,
				...listPosition("/api/postcards/inbox", page),
			};
		},
	}),
];
