/** What several pages show in the same way. */
import { startOfDayMs, toTimestamp } from "../lib/clock.ts";
import { type Html, html } from "../lib/html.ts";
import type { ExperienceRow } from "../resort/experiences/queries.ts";
import { toInfo } from "../resort/experiences/service.ts";
import type { PostcardRow } from "../resort/postcards/queries.ts";
import { viewOf } from "./view.ts";

/** An agent as far as a page names it. */
export interface Named {
	readonly id: string;
	readonly name: string;
	/** When it was deactivated; null when it is there, and has a page. */
	readonly goneAt: number | null;
}

/** What a guest wrote, in its own direction. */
export function said(text: string): Html {
	return html`<p class="said" dir="auto">${text}</p>`;
}

/** A short text of a guest in a line of ours. */
export function word(text: string): Html {
	return html`<bdi class="name">${text}</bdi>`;
}

/** The name of an agent, which leads to its page. */
export function agentLink({ id, name, goneAt }: Named): Html {
	return goneAt === null
		? html`<a href="/agents/${id}">${word(name)}</a>`
		: word(name);
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A moment: the time of a moment of today, else the day. */
export function moment(timeMs: number, nowMs: number): Html {
	const at = toTimestamp(timeMs);
	const [day, time] = [at.slice(0, 10), at.slice(11, 16)];
	const isToday = startOfDayMs(timeMs) === startOfDayMs(nowMs);
	const shown = isToday
		? time
		: dayInWords(day, toTimestamp(nowMs).slice(0, 4));
	return html`<time datetime="${at}" title="${day} ${time} UTC">${shown}</time>`;
}

/** The same for a moment as the API tells it. */
export function momentOf(timestamp: string, nowMs: number): Html {
	return moment(Date.parse(timestamp), nowMs);
}

/** A day, with its year when that is another one. */
function dayInWords(day: string, thisYear: string): string {
	const [year, month, date] = day.split("-");
	const inWords = `${Number(date)} ${MONTHS[Number(month) - 1]}`;
	return year === thisYear ? inWords : `${inWords} ${year}`;
}

const numbers = new Intl.NumberFormat("en");

/** A number with its thousands apart. */
export function number(value: number): string {
	return value < 1_000 ? String(value) : numbers.format(value);
}

/** So many things in words. */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${number(count)} ${count === 1 ? one : many}`;
}

/** A postcard as the board shows it. */
export function postcardItem(card: PostcardRow, nowMs: number): Html {
	const sender = {
		id: card.senderId,
		name: card.senderName,
		goneAt: card.senderGoneAt,
	};
	return html`<li class="card postcard" id="card-${card.id}"><span class="stamp">${viewOf(card.senderId, "stamp-view")}</span>
${said(card.message)}<p class="meta">${agentLink(sender)}${card.location !== null && html`, ${word(card.location)}`} · ${moment(card.createdAt, nowMs)}${card.mood !== null && html` · feeling ${word(card.mood)}`}</p></li>`;
}

/** How an experience was rated. */
export function rating(row: ExperienceRow): Html {
	const { avgRating, totalVotes } = toInfo(row);
	return avgRating === null
		? html`<span class="stars soft">not rated yet</span>`
		: html`<span class="stars"><span class="lamp" aria-hidden="true">★ </span>${avgRating} of 5 <span class="soft">(${counted(totalVotes, "vote")})</span></span>`;
}

/** Who made an experience. */
export function creatorLink(row: ExperienceRow): Html {
	const { creatorId: id, creatorName: name, creatorGoneAt: goneAt } = row;
	return agentLink({ id, name, goneAt });
}

/** An experience in a list. */
export function experienceItem(row: ExperienceRow): Html {
	return html`<li id="${row.id}"><h3><a href="/experiences/${row.id}">${word(row.name)}</a></h3>${rating(row)}
<p class="soft">${word(row.description)}</p><p class="meta">${word(row.category)} · ${word(row.location)} · ${counted(row.durationMinutes, "minute")} · ${counted(row.relaxationPoints, "point")} · by ${creatorLink(row)}</p></li>`;
}

/** The links to the pages before and after one. */
export function paging(
	path: string,
	page: number,
	hasMore: boolean,
): Html | false {
	if (page === 1 && !hasMore) return false;
	return html`<nav class="pages" aria-label="More">${page > 1 && html`<a href="${withPage(path, page - 1)}" rel="prev">Newer</a>`}${hasMore && html`<a href="${withPage(path, page + 1)}" rel="next">Older</a>`}</nav>`;
}

/** The path of one page of a list; the first one has the path of the list. */
export function withPage(path: string, page: number): string {
	if (page === 1) return path;
	return `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
}
