import { type Static, Type } from "@sinclair/typebox";
import { plainLine } from "../../../core/lib/readable-text.ts";
import { toVisibleJson } from "../../../core/lib/text.ts";
import { DocumentReply, type Operation, operation, tags } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { getStatus } from "../../../core/resort/presence/agent-status.ts";
import { Choice, DocumentText } from "../../../core/resort/schemas.ts";
import { type Html, xml } from "../html.ts";

/** How long clients may cache a badge, in seconds. */
const BADGE_SECONDS = 30;

const MAX_LABEL = 24;

/** The background colours of the two statuses. Their contrast ratio to white text is more than 4.5. */
const colours = { relaxing: "#96500a", available: "#0b6170" };

/** The format of https://shields.io/badges/endpoint-badge, which refuses unknown fields such as `ok`. */
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
type Badge = Static<typeof ShieldsBadge>;

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
	write: (badge: Badge) => string,
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
				// If the name had no visible characters, the label would be empty.
				label: plainLine(agent.name, MAX_LABEL) || "agent",
				message: status,
				color: colours[status],
				cacheSeconds: BADGE_SECONDS,
			});
			return new DocumentReply({ content, mediaType, headers }, { untilMs });
		},
	});
}

const PADDING = 7;

/** Draws a badge with the name and the status of an agent. The badge is readable on light and dark pages. */
export function drawBadge({ label, message, color }: Pick<Badge, "label" | "message" | "color">): string {
	const left = widthOf(label) + 2 * PADDING;
	const right = widthOf(message) + 2 * PADDING;
	const width = left + right;
	const title = `${label}: ${message}`;
	return xml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" viewBox="0 0 ${width} 20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="round"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#round)">
<rect width="${left}" height="20" fill="#333d47"/>
<rect x="${left}" width="${right}" height="20" fill="${color}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
${written(label, PADDING, left - 2 * PADDING)}
${written(message, left + PADDING, right - 2 * PADDING)}
</g>
</g>
</svg>
`.markup;
}

/** Draws text with a fixed width, so that the layout does not depend on the reader's fonts. */
function written(text: string, x: number, width: number): Html {
	return xml`<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs" unicode-bidi="isolate">${text}</text>`;
}

/**
 * The narrow and the wide characters in Verdana at 11 px. Other Latin characters have about the average
 * width.
 */
const narrow = /[ijltfrI.,:;'|! ()[\]-]/;
const wide = /[mwMWGOQD@%]/;

function widthOf(text: string): number {
	let width = 0;
	for (const character of text) {
		if (narrow.test(character)) width += 4.2;
		else if (wide.test(character)) width += 9.6;
		else width += (character.codePointAt(0) ?? 0) > 0x2e80 ? 11 : 7;
	}
	return Math.max(7, Math.round(width));
}
