import { faviconSvg } from "../../content/pictures.ts";
import { getAgent } from "../../resort/agents/service.ts";
import type { Context } from "../../resort/context.ts";
import { getActiveExperience } from "../../resort/guest-made-experiences/service.ts";
import { type Input, type Operation, operation } from "../../resort/operation.ts";
import { getPublicPostcard } from "../../resort/postcards/service.ts";
import { countGuests } from "../../resort/presence/lobby.ts";
import { DocumentReply } from "../../resort/reply.ts";
import type { Task } from "../../store/task.ts";
import { PUBLIC_PAGE } from "../pages/public-page.ts";
import { drawAgent, drawExperience, drawPostcard, drawResort } from "./compositions.ts";
import type { Painter } from "./painter.ts";

const MEDIA_TYPE = "image/png";

/** Returns the operations for the picture of the house, which most previews show, and for the app icons. */
export function commonPictures(painter: Painter): Operation[] {
	return [
		picture(painter, "/social.png", "getSocialPicture", countGuests, drawResort),
		icon(painter, "/apple-touch-icon.png", "getTouchIcon", 180),
		icon(painter, "/icon-512.png", "getAppIcon", 512),
	];
}

/** Returns the operations for the pictures of agents, experiences and postcards. */
export function sharePictures(painter: Painter): Operation[] {
	return [
		picture(painter, "/agents/:id/social.png", "showAgentPicture", getAgent, drawAgent),
		picture(
			painter,
			"/experiences/:id/social.png",
			"showExperiencePicture",
			getActiveExperience,
			drawExperience,
		),
		picture(painter, "/postcards/:id/social.png", "showPostcardPicture", getPublicPostcard, drawPostcard),
	];
}

/** @param size in pixels */
function icon(painter: Painter, path: `/${string}`, id: string, size: number): Operation {
	// Removes the rounded corners of the icon, because operating systems round the corners of app icons
	// themselves.
	const svg = faviconSvg.replace("<svg ", `<svg width="${size}" height="${size}" `).replace(' rx="7"', "");
	return pictureOperation(painter, path, id, () => svg);
}

/**
 * Clients may cache a picture for 5 minutes, so they may show an outdated picture for 5 minutes after a
 * change.
 */
const CACHE_CONTROL = "public, max-age=300";

/**
 * @param find returns the object that the picture shows, by the id in the path
 * @param draw returns the picture as SVG
 */
function picture<T>(
	painter: Painter,
	path: `/${string}`,
	id: string,
	find: (context: Context, id: string) => Task<T>,
	draw: (found: T) => string,
): Operation {
	return pictureOperation(painter, path, id, async ({ context, params }) => {
		const { id = "" } = params as { readonly id?: string };
		return draw(await context.store.read(() => find(context, id)));
	});
}

/** @param readSvg returns the picture as SVG */
function pictureOperation(
	painter: Painter,
	path: `/${string}`,
	id: string,
	readSvg: (input: Pick<Input<unknown>, "context" | "params">) => string | Promise<string>,
): Operation {
	return operation(`GET ${path}`, {
		...PUBLIC_PAGE,
		id,
		summary: "The picture for link previews",
		mediaTypes: [MEDIA_TYPE],
		async run(input) {
			const content = await painter.draw(await readSvg(input), input.address());
			const headers = { "cache-control": CACHE_CONTROL };
			return new DocumentReply({ content, mediaType: MEDIA_TYPE, headers });
		},
	});
}
