import { type Operation, operation } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { DocumentReply } from "../../../core/resort/reply.ts";
import { DocumentText } from "../../../core/resort/schemas.ts";
import { ATOM_FEED, type FeedFormat, JSON_FEED } from "./feed-formats.ts";
import { readFeed } from "./service.ts";

/** The operations that return feeds of public postcards and experiences. */
export const feedOperations = tagged("Feeds", [
	feed(JSON_FEED, {
		id: "getJsonFeed",
		summary: "Postcards and experiences, as JSON Feed 1.1",
	}),
	feed(ATOM_FEED, {
		id: "getAtomFeed",
		summary: "Postcards and experiences, as Atom (RFC 4287)",
	}),
]);

function feed(
	{ path, mediaType, write }: FeedFormat,
	definition: Pick<Operation, "id" | "summary">,
): Operation {
	return operation(`GET ${path}`, {
		...definition,
		description: "Public postcards and active experiences: the newest 50 in all, newest first.",
		credential: "none",
		answers: { 200: DocumentText },
		mediaTypes: [mediaType],
		invalidatedBy: [
			"postcard.sent",
			"experience.created",
			"experience.archived",
			"agent.changed",
			// After a deactivation, the items of the agent contain no link to the agent's profile any more.
			"agent.gone",
		],
		*read({ context }) {
			const content = write(yield* readFeed(context), context);
			return new DocumentReply({ content, mediaType });
		},
	});
}
