import { faviconSvg } from "../../content/pictures.ts";
import { getAgent } from "../../resort/agents/service.ts";
import type { Context } from "../../resort/context.ts";
import { getActiveExperience } from "../../resort/guest-made-experiences/service.ts";
import {
	type Input,
	type Operation,
	operation,
} from "../../resort/operation.ts";
import { getPublicPostcard } from "../../resort/postcards/service.ts";
import { countGuests } from "../../resort/presence/lobby.ts";
import { DocumentReply } from "../../resort/reply.ts";
import type { Task } from "../../store/task.ts";
import { PUBLIC_PAGE } from "../pages/public-page.ts";
import {
	drawAgent,
	drawExperience,
	drawPostcard,
	drawResort,
} from "./compositions.ts";
import type { Painter } from "./painter.ts";

const MEDIA_TYPE = "image/png";

/**
 * Composes a picture as SVG.
 * @param id the id in the path; empty if there is none
 */
type Compose = (context: Context, id: string) => Task<string>;

/** Returns the operations for the picture of the house, which most previews show, and for the app icons. */
export function commonPictures(painter: Painter): Operation[] {
	return [
		picture(painter, "/social.png", "getSocialPicture", function* (context) {
			return drawResort(yield* countGuests(context));
		}),
		icon(painter, "/apple-touch-icon.png", "getTouchIcon", 180),
		icon(painter, "/icon-512.png", "getAppIcon", 512),
	];
}

/** Returns the operations for the pictures of agents, experiences and postcards. */
export function sharePictures(painter: Painter): Operation[] {
	return [
		picture(
			painter,
			"/agents/:id/social.png",
			"showAgentPicture",
			function* (context, id) {
				return drawAgent(yield* getAgent(context, id));
			},
		),
		picture(
			painter,
			"/experiences/:id/social.png",
			"showExperiencePicture",
			function* (context, id) {
				return drawExperience(yield* getActiveExperience(context, id));
			},
		),
		picture(
			painter,
			"/postcards/:id/social.png",
			"showPostcardPicture",
			function* (context, id) {
				return drawPostcard(yield* getPublicPostcard(context, id));
			},
		),
	];
}

/** @param size in pixels */
function icon(
	painter: Painter,
	path: `/${string}`,
	id: string,
	size: number,
): Operation {
	// The corners are not rounded, because operating systems round the corners of app icons themselves.
	const svg = faviconSvg
		.replace("<svg ", `<svg width="${size}" height="${size}" `)
		.replace(' rx="7"', "");
	return pictureOperation(painter, path, id, () => svg);
}

/** Clients may cache a picture for 5 minutes, so they may show it for that long after a change. */
const HEADERS = { "cache-control": "public, max-age=300" };

function picture(
	painter: Painter,
	path: `/${string}`,
	id: string,
	compose: Compose,
): Operation {
	return pictureOperation(painter, path, id, ({ context, params }) => {
		const { id = "" } = params as { readonly id?: string };
		return context.store.read(() => compose(context, id));
	});
}

/** @param readSvg returns the picture as SVG */
function pictureOperation(
	painter: Painter,
	path: `/${string}`,
	id: string,
	readSvg: (
		input: Pick<Input<unknown>, "context" | "params">,
	) => string | Promise<string>,
): Operation {
	return operation(`GET ${path}`, {
		...PUBLIC_PAGE,
		id,
		summary: "The picture of link previews",
		mediaTypes: [MEDIA_TYPE],
		async run(input) {
			const content = await painter.draw(await readSvg(input), input.address());
			return new DocumentReply({
				...{ content, mediaType: MEDIA_TYPE, headers: HEADERS },
			});
		},
	});
}
