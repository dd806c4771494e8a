import { operation } from "../operation.ts";
import { DocumentReply } from "../reply.ts";
import { DocumentText } from "../schemas.ts";
import {
	ATOM_FEED,
	JSON_FEED,
	writeAtomFeed,
	writeJsonFeed,
} from "./feed-formats.ts";
import { readFeed } from "./service.ts";

const feed = {
	description:
		"Public postcards and active experiences, the newest 50 of both together, newest first.",
	credential: "none",
	answers: { 200: DocumentText },
	invalidatedBy: [
		"postcard.sent",
		"experience.created",
		"experience.archived",
		"agent.changed",
		// The name stays, but the link to the profile is removed.
		"agent.gone",
	],
} as const;

/** The feeds of public postcards and experiences. */
export const feedOperations = [
	operation(`GET ${JSON_FEED.path}`, {
		...feed,
		id: "getJsonFeed",
		summary: "What guests make public, as JSON Feed 1.1",
		mediaTypes: [JSON_FEED.mediaType],
		*read({ context }) {
			const content = writeJsonFeed(yield* readFeed(context), context.baseUrl);
			return new DocumentReply({ content, mediaType: JSON_FEED.mediaType });
		},
	}),
	operation(`GET ${ATOM_FEED.path}`, {
		...feed,
		id: "getAtomFeed",
		summary: "What guests make public, as Atom (RFC 4287)",
		mediaTypes: [ATOM_FEED.mediaType],
		*read({ context }) {
			const content = writeAtomFeed(yield* readFeed(context), context.baseUrl);
			return new DocumentReply({ content, mediaType: ATOM_FEED.mediaType });
		},
	}),
];
