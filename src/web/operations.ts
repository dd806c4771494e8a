import {
	faviconSvg,
	readFavicon,
	readSocialPicture,
} from "../content/pictures.ts";
import { DAY_MS, startOfDayMs, toTimestamp } from "../lib/clock.ts";
import { type Operation, operation } from "../resort/operation.ts";
import { type Document, DocumentReply } from "../resort/reply.ts";
import { activitiesPage } from "./pages/activities-page.ts";
import { agentPage } from "./pages/agent-page.ts";
import { agentsPage } from "./pages/agents-page.ts";
import { boardPage } from "./pages/board-page.ts";
import { experiencePage, experiencesPage } from "./pages/experience-pages.ts";
import { postcardPage } from "./pages/postcard-page.ts";
import { PUBLIC_PAGE } from "./pages/public-page.ts";
import { reviewPage } from "./pages/review-page.ts";
import { roomPage, roomsPage } from "./pages/room-pages.ts";

/** The public pages except `/`. */
export const pageOperations: readonly Operation[] = [
	agentsPage,
	agentPage,
	boardPage,
	postcardPage,
	experiencesPage,
	experiencePage,
	reviewPage,
	activitiesPage,
	roomsPage,
	roomPage,
];

/** The operations of the pictures for browsers and link previews. Clients may cache the pictures for a day. */
export const pictureOperations: readonly Operation[] = [
	picture("/favicon.svg", "image/svg+xml", () => faviconSvg, {
		id: "getIcon",
		summary: "The icon",
	}),
	picture("/favicon.ico", "image/x-icon", readFavicon, {
		id: "getFavicon",
		summary: "The icon, where browsers look for it",
	}),
	picture("/social.png", "image/png", readSocialPicture, {
		id: "getSocialPicture",
		summary: "The picture of link previews",
	}),
];

function picture(
	path: `/${string}`,
	mediaType: string,
	read: () => Document["content"] | Promise<Document["content"]>,
	definition: Pick<Operation, "id" | "summary">,
): Operation {
	const headers = { "cache-control": "public, max-age=86400" };
	return operation(`GET ${path}`, {
		...PUBLIC_PAGE,
		...definition,
		mediaTypes: [mediaType],
		invalidatedBy: "nothing",
		run: async () =>
			new DocumentReply({ content: await read(), mediaType, headers }),
	});
}

const SECURITY_PATH = "/.well-known/security.txt";

/** The time from the request to the `Expires` date in security.txt. */
const SECURITY_VALID_MS = 180 * DAY_MS;

/**
 * Creates the operation for security.txt (RFC 9116).
 * @param contact a `https:`, `mailto:` or `tel:` URL
 */
export function securityOperation(contact: string): Operation {
	return operation(`GET ${SECURITY_PATH}`, {
		...PUBLIC_PAGE,
		id: "getSecurityContact",
		summary: "Where to report a vulnerability",
		mediaTypes: ["text/plain"],
		invalidatedBy: "nothing",
		run({ context: { baseUrl, clock } }) {
			const today = startOfDayMs(clock());
			const content = [
				`Contact: ${contact}`,
				`Expires: ${toTimestamp(today + SECURITY_VALID_MS)}`,
				"Preferred-Languages: en",
				`Canonical: ${baseUrl}${SECURITY_PATH}`,
				"",
			].join("\n");
			return new DocumentReply(
				{ content, mediaType: "text/plain; charset=utf-8" },
				{ untilMs: today + DAY_MS },
			);
		},
	});
}
