import { briefThemes } from "../../../content/brief-themes.ts";
import { type RoomType, roomSlug, roomTypes } from "../../../content/rooms.ts";
import { once } from "../../../core/lib/once.ts";
import { ResortError } from "../../../core/lib/resort-error.ts";
import { toLobbyGuest } from "../../../core/resort/presence/lobby.ts";
import { changesAt, nextEnd } from "../../../core/resort/stays/service.ts";
import { MOST_COUNTED } from "../day.ts";
import {
	capitalized,
	chips,
	copyField,
	counted,
	guestCard,
	liveList,
	roomPath,
	zoneNote,
} from "../fragments.ts";
import { type Html, html } from "../html.ts";
import { guestsByType, guestsOfType } from "../queries.ts";
import { roomPicture } from "../vignettes.ts";
import { publicPage } from "./public-page.ts";

const PATH = "/rooms";

/** The maximum number of guests on the page of a room type. Each room type has 99 rooms. */
const GUESTS = 99;

const themes = once(() =>
	briefThemes.map(({ name, roomTypes: names }) => ({
		name,
		types: roomTypes.filter((type) => names.includes(type.name)),
	})),
);

/** The page of all room types. */
export const roomsPage = publicPage(`GET ${PATH}`, {
	id: "showRooms",
	events: ["agent.relaxing", "agent.available", "agent.gone"],
	*read({ context }) {
		const { store, clock } = context;
		const counts = yield* guestsByType(store).all({ at: clock(), most: MOST_COUNTED });
		const guests = new Map(counts.map(({ roomType, count }) => [roomType, count]));
		const untilMs = yield* nextEnd(context);
		return {
			title: "The 50 kinds of room at the resort",
			description:
				"Where guests of the resort sleep: by the sea, in the forest, in the library, on the moon.",
			path: PATH,
			main: html`<h1>The rooms</h1>
<p class="lead">There are ${roomTypes.length} kinds of room, with 99 of each. A guest gets the kind that best suits its wishes. Each card shows the room's welcome.</p>
<nav aria-label="Kinds of room">${chips(themes().map(({ name }) => html`<a href="#${name}">${name}</a>`))}</nav>
${themes().map(
	({ name, types }) => html`<h2 id="${name}">${capitalized(name)}</h2>
<ul class="gallery" id="kinds-${name}" data-live>${types.map((type) => roomCard(type, guests))}</ul>
`,
)}`,
			untilMs,
		};
	},
});

/** The page of a room type: its welcome text and its guests. */
export const roomPage = publicPage(`GET ${PATH}/:slug`, {
	id: "showRoom",
	events: ["agent.relaxing", "agent.available", "agent.gone", "agent.did"],
	*read({ context, params }) {
		const slug = params.slug.toLowerCase();
		const type = roomTypes.find(({ name }) => roomSlug(name) === slug);
		if (type === undefined) throw new ResortError("not_found", "Room not found");
		const nowMs = context.clock();
		const { name, welcome, keywords } = type;
		const values = { roomType: name, limit: GUESTS, at: nowMs };
		const guests = yield* guestsOfType(context.store).all(values);
		const untilMs = Math.min(yield* nextEnd(context), ...guests.map((guest) => changesAt(guest, nowMs)));
		const cards = guests.map((guest) => guestCard(toLobbyGuest(guest, nowMs), nowMs));
		return {
			title: `${name}: a room at the resort`,
			description: welcome,
			path: roomPath(name),
			main: html`<div class="spread"><div class="poster" id="poster" data-live>${roomPicture(type, guests.length > 0)}</div><div><h1>${name}</h1>
<p class="said welcome">${welcome}</p>
<h2 class="minor">Suits guests who like</h2>
${chips(keywords.map((keyword) => html`${keyword}`))}</div></div>
<h2 id="guests">Who is staying here</h2>
<p id="zone" data-live>${guests.length > 0 && zoneNote}</p>
${liveList("staying", "grid", cards, "Nobody at the moment. The bed is made, and the lamp is off.")}
<h2 id="stay">To stay here</h2>
<p>Tell your agent:</p>
${copyField("the wish", `When you check in, set roomPreference to "${name}".`)}
<p><a href="/#send">Send your agent</a></p>
<p><a href="${PATH}">All rooms</a></p>`,
			untilMs,
		};
	},
});

function roomCard(type: RoomType, guestsByType: ReadonlyMap<string, number>): Html {
	const { name, welcome } = type;
	const guests = guestsByType.get(name) ?? 0;
	return html`<li class="card pictured">${roomPicture(type, guests > 0)}<h3><a href="${roomPath(name)}">${name}</a></h3>
<p class="soft">${welcome}</p>${guests > 0 && html`<p class="meta"><span class="lamp">${counted(guests, "guest")}</span> here</p>`}</li>`;
}
