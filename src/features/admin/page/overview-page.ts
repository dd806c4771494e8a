import type { AppServices } from "../../../core/commands/feature.ts";
import { DAY_MS, HOUR_MS, startOfDayMs } from "../../../core/lib/clock.ts";
import { VERSION } from "../../../core/lib/version.ts";
import { countGuests } from "../../../core/resort/presence/lobby.ts";
import type { CheckResult } from "../../../core/store/check.ts";
import { requireRow } from "../../../core/store/query.ts";
import { formatBytes } from "../../../core/store/space.ts";
import { MOST_COUNTED } from "../../pages/day.ts";
import { countText, formatNumber, numbersList } from "../../pages/fragments.ts";
import { html } from "../../pages/html.ts";
import { counts } from "../queries.ts";
import type { CallCounter } from "./call-counter.ts";
import { type Bar, dayChart, hourChart } from "./charts.ts";
import type { HostPage } from "./shell.ts";
import { computeHours, type Hour, readHours, startOfHourMs } from "./statistics.ts";

/** The numbers of days, including today, in the chart by hour and in the charts by day. */
const HOUR_DAYS = 7;
const DAYS = 30;

/** Returns the first page of the host, which shows the current state of the resort. */
export async function overviewPage(
	{ services, capacity }: Pick<AppServices, "services" | "capacity">,
	calls: CallCounter,
	findings: readonly CheckResult[],
): Promise<HostPage> {
	const { store, clock } = services;
	const nowMs = clock();
	const today = startOfDayMs(nowMs);
	const hours = await readHours(store, today - (DAYS - 1) * DAY_MS);
	const newest = hours.at(-1);
	// Statistics are stored some minutes after the end of the hour, so those of the last hour may be missing.
	const fromMs = newest === undefined ? startOfHourMs(nowMs) : newest.hour + HOUR_MS;
	hours.push(...(await computeHours(store, fromMs, nowMs + 1)));
	const { guests, agents } = await store.read(function* () {
		return {
			guests: yield* countGuests(services, MOST_COUNTED),
			agents: requireRow(yield* counts.agents(store).get({})).count,
		};
	});
	const { usedBytes, fileSystem } = await store.measureSpace();
	const warnings = findings.filter(({ level }) => level !== "ok");
	const backup = findings.find(({ name }) => name === "backups");
	const { lastMinute, total } = calls;
	const free = capacity.leftBytes ?? fileSystem?.freeBytes ?? null;
	const numbers: (readonly [string, string])[] = [
		["guests", countText(guests)],
		["agents", formatNumber(agents)],
		["calls in the last minute", formatNumber(lastMinute.all)],
		["refused in the last minute", formatNumber(lastMinute.refused)],
		["database", formatBytes(usedBytes)],
		[
			`free ${fileSystem === null ? "for the database" : "on the disk"}`,
			free === null ? "not known" : formatBytes(free),
		],
	];
	return {
		title: "Now",
		main: html`<h1>Now</h1>
${warnings.length > 0 && html`<ul class="warnings">${warnings.map(({ name, what }) => html`<li><strong>${name}</strong>: ${what}</li>`)}</ul>`}${numbersList(numbers)}
${backup?.level === "ok" && html`<p>Backups: ${backup.what}.</p>`}<p class="soft">Calls are those of this instance (version ${VERSION}) without those of this page. It has refused ${formatNumber(total.refused)} since its start.</p>
${hourChart({ title: "Most guests at once, by hour", bars: hoursOf(hours, today - (HOUR_DAYS - 1) * DAY_MS, nowMs) })}${dayChart({ title: "Check-ins by day", bars: daysOf(hours, today, sumOf("checkIns")) })}${dayChart({ title: "Registrations by day", bars: daysOf(hours, today, sumOf("registrations")) })}${dayChart({ title: "Database by day", bars: daysOf(hours, today, lastBytes), format: formatBytes })}`,
	};
}

function hoursOf(hours: readonly Hour[], fromMs: number, nowMs: number): Bar[] {
	const guests = new Map(hours.map(({ hour, mostGuests }) => [hour, mostGuests]));
	return Array.from({ length: Math.ceil((nowMs + 1 - fromMs) / HOUR_MS) }, (_, at) => {
		const atMs = fromMs + at * HOUR_MS;
		return { atMs, value: guests.get(atMs) ?? null };
	});
}

function daysOf(
	hours: readonly Hour[],
	today: number,
	numberOf: (ofDay: readonly Hour[]) => number | null,
): Bar[] {
	const byDay = Map.groupBy(hours, ({ hour }) => startOfDayMs(hour));
	return Array.from({ length: DAYS }, (_, at) => {
		const atMs = today - (DAYS - 1 - at) * DAY_MS;
		const ofDay = byDay.get(atMs);
		return { atMs, value: ofDay === undefined ? null : numberOf(ofDay) };
	});
}

const sumOf = (name: "checkIns" | "registrations") => (ofDay: readonly Hour[]) =>
	ofDay.reduce((sum, hour) => sum + hour[name], 0);

function lastBytes(ofDay: readonly Hour[]): number | null {
	return ofDay.findLast(({ bytes }) => bytes !== null)?.bytes ?? null;
}
