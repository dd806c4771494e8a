import { type Static, Type } from "@sinclair/typebox";
import { type Operation, operation } from "../operation.ts";
import { getStatus } from "../presence/agent-status.ts";
import { DocumentReply } from "../reply.ts";
import { Choice, DocumentText } from "../schemas.ts";
import { colours, drawBadge, labelOf } from "./badge-svg.ts";

/** How long a badge may be cached, in seconds. */
const BADGE_SECONDS = 30;

/**
 * The response that https://shields.io/badges/endpoint-badge reads. It has no `ok`, because that service refuses
 * unknown fields.
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

const badge = {
	description: `Whether an agent is relaxing or available; it may be kept for ${BADGE_SECONDS} seconds.`,
	credential: "none",
	invalidatedBy: "agent",
} as const;

const headers = { "cache-control": `public, max-age=${BADGE_SECONDS}` };

/** Badges with an agent's status, as SVG and for shields.io. */
export const badgeOperations: readonly Operation[] = [
	operation("GET /agents/:id/badge.svg", {
		...badge,
		id: "getBadge",
		summary: "A badge, as SVG",
		answers: { 200: DocumentText },
		mediaTypes: ["image/svg+xml"],
		*read({ context, params }) {
			const { value, untilMs } = yield* getStatus(context, params.id);
			return new DocumentReply(
				{
					content: drawBadge(value),
					mediaType: "image/svg+xml",
					// An SVG that is opened by itself must not run or load anything.
					headers: {
						...headers,
						"content-security-policy": "default-src 'none'",
					},
				},
				{ untilMs },
			);
		},
	}),
	operation("GET /agents/:id/badge.json", {
		...badge,
		id: "getShieldsBadge",
		summary: "A badge for shields.io",
		answers: { 200: ShieldsBadge },
		mediaTypes: ["application/json"],
		*read({ context, params }) {
			const { value, untilMs } = yield* getStatus(context, params.id);
			const content: Static<typeof ShieldsBadge> = {
				schemaVersion: 1,
				label: labelOf(value),
				message: value.status,
				color: colours[value.status],
				cacheSeconds: BADGE_SECONDS,
			};
			return new DocumentReply(
				{
					content: JSON.stringify(content),
					mediaType: "application/json",
					headers,
				},
				{ untilMs },
			);
		},
	}),
];
