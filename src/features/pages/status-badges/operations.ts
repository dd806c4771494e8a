import { type Static, Type } from "@sinclair/typebox";
import { plainLine } from "../../../core/lib/readable-text.ts";
import { toVisibleJson } from "../../../core/lib/text.ts";
import { DocumentReply, type Operation, operation, tags } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { getStatus } from "../../../core/resort/presence/agent-status.ts";
import { Choice, DocumentText } from "../../../core/resort/schemas.ts";
import { drawBadge } from "./badge-svg.ts";

/** How long clients may cache a badge, in seconds. */
const BADGE_SECONDS = 30;

/** The maximum length of a name on a badge, in code points. */
const MAX_LABEL = 24;

/** The background colours of the two statuses. Their contrast ratio to white text is more than 4.5. */
const colours = { relaxing: "#96500a", available: "#0b6170" };

/**
 * The response format that https://shields.io/badges/endpoint-badge requires. Contains no `ok`, because
 * shields.io refuses unknown fields.
 */
const ShieldsBadge = Type.Object(
	{
		schemaVersion: Type.Literal(1),
		label: Type.String(),
		message: Choice("relaxing", "available"),
		color: Type.String(),
		cacheSeconds: Type.Literal(BADGE_SECONDS),
	},
	{ title: "ShieldsBadge" },
);

/** The operations that return a badge with an agent's status, as SVG or in the format of shields.io. */
export const badgeOperations = tagged(tags.status, [
	badge("/agents/:id/badge.svg", "image/svg+xml", drawBadge, {
		id: "getBadge",
		summary: "A badge, as SVG",
		answers: { 200: DocumentText },
	}),
	badge("/agents/:id/badge.json", "application/json", toVisibleJson, {
		id: "getShieldsBadge",
		summary: "A badge for shields.io",
		answers: { 200: ShieldsBadge },
	}),
]);

function badge(
	path: `/agents/:id/${string}`,
	mediaType: string,
	write: (badge: Static<typeof ShieldsBadge>) => string,
	definition: Pick<Operation, "id" | "summary" | "answers">,
): Operation {
	const headers = {
		"cache-control": `public, max-age=${BADGE_SECONDS}`,
		// Prevents an SVG that is opened directly from running scripts or loading anything.
		"content-security-policy": "default-src 'none'",
	};
	return operation(`GET ${path}`, {
		...definition,
		description: `Whether an agent is relaxing or available; it may be cached for ${BADGE_SECONDS} seconds.`,
		credential: "none",
		invalidatedBy: "agent",
		mediaTypes: [mediaType],
		*read({ context, params }) {
			const { value, untilMs } = yield* getStatus(context, params.id);
			const { agent, status } = value;
			const content = write({
				schemaVersion: 1,
				// The name may have no visible characters.
				label: plainLine(agent.name, MAX_LABEL) || "agent",
				message: status,
				color: colours[status],
				cacheSeconds: BADGE_SECONDS,
			});
			return new DocumentReply({ content, mediaType, headers }, { untilMs });
		},
	});
}
