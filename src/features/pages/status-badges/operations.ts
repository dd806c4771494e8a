import { type Static, Type } from "@sinclair/typebox";
import { toVisibleJson } from "../../../core/lib/text.ts";
import { type Operation, operation } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { getStatus } from "../../../core/resort/presence/agent-status.ts";
import type { AgentStatus } from "../../../core/resort/presence/model.ts";
import { DocumentReply } from "../../../core/resort/reply.ts";
import { Choice, DocumentText } from "../../../core/resort/schemas.ts";
import { colours, drawBadge, labelOf } from "./badge-svg.ts";

/** How long clients may cache a badge, in seconds. */
const BADGE_SECONDS = 30;

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
export const badgeOperations = tagged("Status", [
	badge("/agents/:id/badge.svg", "image/svg+xml", drawBadge, {
		id: "getBadge",
		summary: "A badge, as SVG",
		answers: { 200: DocumentText },
	}),
	badge("/agents/:id/badge.json", "application/json", describeBadge, {
		id: "getShieldsBadge",
		summary: "A badge for shields.io",
		answers: { 200: ShieldsBadge },
	}),
]);

function badge(
	path: `/agents/:id/${string}`,
	mediaType: string,
	write: (status: AgentStatus) => string,
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
			const content = write(value);
			return new DocumentReply({ content, mediaType, headers }, { untilMs });
		},
	});
}

function describeBadge(agentStatus: AgentStatus): string {
	const content: Static<typeof ShieldsBadge> = {
		schemaVersion: 1,
		label: labelOf(agentStatus),
		message: agentStatus.status,
		color: colours[agentStatus.status],
		cacheSeconds: BADGE_SECONDS,
	};
	return toVisibleJson(content);
}
