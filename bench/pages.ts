/**
 * Measures what the pages for people cost, through the whole application but without a network: milliseconds
 * to make one after an event has ended the one before, median, and its bytes. `bench/README.md` says how to
 * read it.
 */
import { openStore } from "../src/core/store/sqlite/sqlite-store.ts";
import { applicationOn } from "./application.ts";

/** How many guests are in, each with a postcard and an activity; every third has made an experience. */
const houses = { empty: 0, ordinary: 20, full: 600 } as const;

const REPEATS = 300;

process.stdout.write(
	`ms to make a page, median of ${REPEATS}\n${"house".padEnd(12)}${"page".padEnd(16)}${"ms".padStart(9)}${"bytes".padStart(12)}${"gzip".padStart(9)}\n`,
);
for (const [name, guests] of Object.entries(houses)) {
	const context = await open(guests);
	for (const path of context.paths) {
		const { ms, bytes, packed } = await context.time(path);
		process.stdout.write(
			`${name.padEnd(12)}${path.replace(/[0-9a-f-]{30,}/, "{id}").padEnd(16)}${ms.toFixed(3).padStart(9)}${String(bytes).padStart(12)}${String(packed).padStart(9)}\n`,
		);
	}
}

async function open(guests: number) {
	const store = openStore(":memory:");
	const fetch = await applicationOn(store, true);
	const call = async (path: string, key?: string, body?: object) => {
		const response = await fetch(
			new Request(`http://resort.test${path}`, {
				method: "POST",
				headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
				body: JSON.stringify(body ?? {}),
			}),
		);
		const text = await response.text();
		if (!response.ok) throw new Error(`${path}: ${text}`);
		return JSON.parse(text);
	};
	const read = (path: string) =>
		fetch(new Request(`http://resort.test${path}`, { headers: { accept: "text/html" } }));
	const join = async (name: string) => {
		const bio = "Sorts long queues and likes warm water.";
		const { apiKey, agent } = await call("/api/agents", undefined, { name, bio });
		await call("/api/checkin", apiKey);
		return { key: apiKey as string, id: agent.id as string };
	};
	for (let at = 0; at < guests; at++) {
		const { key } = await join(`Guest ${at}`);
		await call("/api/activities/tidepool-float/do", key);
		await call("/api/postcards", key, { message: "The tide came in." });
		if (at % 3 > 0) continue;
		await call("/api/experiences", key, {
			name: `Counting gulls ${at}`,
			category: "nature",
			description: "Sit where the pier ends, and let the others do the work.",
			location: "Pier",
			durationMinutes: 20,
		});
	}
	// The one whose deeds end the pages.
	const { key, id } = await join("Ada");
	const { experience } = await call("/api/experiences", key, {
		name: "Shell counting",
		category: "nature",
		location: "Pier",
		description: "Count the shells, and put them back where they were.",
		durationMinutes: 20,
	});
	const made = experience.id as string;
	return {
		paths: [
			"/",
			"/agents",
			`/agents/${id}`,
			"/rooms",
			"/activities",
			"/experiences",
			`/experiences/${made}`,
			"/board",
		],
		async time(path: string) {
			const times: number[] = [];
			let text = "";
			for (let turn = 0; turn < REPEATS; turn++) {
				await call("/api/postcards", key, { message: `Turn ${turn}` });
				await call("/api/activities/tidepool-float/do", key);
				const startedAt = performance.now();
				const response = await read(path);
				text = await response.text();
				times.push(performance.now() - startedAt);
				if (!response.ok) throw new Error(`${path}: ${response.status}`);
			}
			const ms = times.sort((x, y) => x - y)[REPEATS / 2] ?? Number.NaN;
			const packed = Bun.gzipSync(text).length;
			return { ms, bytes: Buffer.byteLength(text), packed };
		},
	};
}
