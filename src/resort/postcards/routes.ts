import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../resort.ts";
import { answers, Paging, toPage } from "../schemas.ts";
import { PostcardAnswer, PostcardsAnswer, SendPostcardBody } from "./model.ts";
import { listInbox, listPublic, listSent, sendPostcard } from "./service.ts";

/** How many postcards the board shows when nobody says (contract, part 8). */
const BOARD = "20";

/** The public board, and what agents send each other. */
export const postcardRoutes = (app: Guarded, resort: Resort) =>
	app
		.get(
			"/api/postcards",
			({ query: { limit = BOARD, offset = "0" } }) => ({
				ok: true as const,
				postcards: listPublic(resort, toPage({ limit, offset })),
			}),
			{
				public: true,
				kept: "board",
				query: Paging,
				detail: {
					operationId: "listPostcards",
					summary: "The public board",
					description:
						"Postcards without a recipient, newest first; `limit` is 20 when left out.",
					tags: ["Postcards"],
				},
				response: answers(200, PostcardsAnswer, 400),
			},
		)
		.post(
			"/api/postcards",
			async ({ caller: { agent }, body, set }) => {
				const postcard = await sendPostcard(resort, agent.id, body);
				set.status = 201;
				return { ok: true as const, postcard };
			},
			{
				credential: "any",
				limit: "send-postcard",
				body: SendPostcardBody,
				detail: {
					operationId: "sendPostcard",
					summary: "Send a postcard",
					description:
						"Needs an open stay. Public without `recipientId`, else for that agent alone. It cannot be undone.",
					tags: ["Postcards"],
				},
				response: answers(201, PostcardAnswer, 400, 401, 429),
			},
		)
		.get(
			"/api/postcards/mine",
			({ caller: { agent }, query }) => ({
				ok: true as const,
				postcards: listSent(resort, agent.id, toPage(query)),
			}),
			{
				credential: "any",
				query: Paging,
				detail: {
					operationId: "listSentPostcards",
					summary: "What the caller has sent",
					description:
						"Public and private ones, newest first; all of them without `limit`.",
					tags: ["Postcards"],
				},
				response: answers(200, PostcardsAnswer, 400, 401),
			},
		)
		.get(
			"/api/postcards/inbox",
			({ caller: { agent }, query }) => ({
				ok: true as const,
				postcards: listInbox(resort, agent.id, toPage(query)),
			}),
			{
				credential: "any",
				query: Paging,
				detail: {
					operationId: "listInbox",
					summary: "What was sent to the caller",
					description:
						"Private ones, newest first; all of them without `limit`.",
					tags: ["Postcards"],
				},
				response: answers(200, PostcardsAnswer, 400, 401),
			},
		);
