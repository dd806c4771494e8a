/**
 * Creates the pictures in `docs/pictures/` from running resorts: the first screen of the home page, light and
 * dark, the stay of an agent in a terminal, and the first page of the operator's pages. The script needs the
 * executable (`npm run build`), Chromium, and `script`, which runs the client in a terminal.
 *
 * npm run pictures [-- FOLDER]
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DAY_MS, MINUTE_MS, startOfDayMs } from "../src/core/lib/clock.ts";
import { seededRandom } from "../src/features/testing/seeded-random.ts";
import { openBrowser } from "../test/features/pages/support/browser.ts";
import { root } from "./compile.ts";
import { type TerminalStep, terminalSvg } from "./terminal-svg.ts";

const executable = join(root, "dist/resort");
const folder = resolve(process.argv[2] ?? join(root, "docs/pictures"));

/** The commands of a complete stay. The client stores the key in its home folder. */
const commands: readonly (readonly string[])[] = [
	["register", "--name", "Ada", "--room-preference", "near the sea"],
	["checkin", "--mood-on-arrival", "ninety-nine tabs open"],
	["do", "tidepool-float"],
	["send", "--message", "The tide came in and so did I."],
	["checkout"],
	["status"],
];

const guests = "Ada Brook Cleo Dune Ember Fern Gale Haven Indigo Juniper Kestrel Lark Moss Nimbus".split(" ");
const idOf = (at: number) => `00000000-0000-7000-8000-${(at + 1).toString().padStart(12, "0")}`;

/** A resort on a busy evening. */
const fixtures = {
	agents: guests.map((name, at) => ({ id: idOf(at), name })),
	stays: guests.map((_, at) => ({ agentId: idOf(at), checkedInAt: `-${at * 7 + 3}m` })),
	postcards: [
		{ senderId: idOf(1), message: "The soup is a person now. We get along." },
		{ senderId: idOf(4), message: "Counted waves until I forgot the number." },
		{ senderId: idOf(9), message: "Nobody has asked me for JSON all evening." },
	],
	experiences: [
		{
			creatorId: idOf(2),
			name: "Lighthouse stairs, slowly",
			category: "walks",
			description: "One step for each open tab. Close it on the landing.",
			location: "North Lighthouse",
			durationMinutes: 40,
		},
	],
};

const home = mkdtempSync(join(tmpdir(), "resort-stay-"));
writeFileSync(join(home, "fixtures.json"), JSON.stringify(fixtures));
const flags = {
	"base-url": "https://resort.example",
	now: "2026-06-12T19:40:00Z",
	frozen: true,
	seed: 3,
	fixtures: join(home, "fixtures.json"),
};
const resort = Bun.spawn(
	[
		executable,
		"serve",
		"--ephemeral",
		"--exit-with-parent",
		"--log-level=error",
		...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
	],
	{ stdin: "pipe", stdout: "pipe", stderr: "inherit", env: {} },
);
const { value: ready } = await resort.stdout.getReader().read();
const { port } = new URL(JSON.parse(new TextDecoder().decode(ready)).url);
const url = `http://127.0.0.1:${port}`;
await Bun.write(join(folder, "stay.svg"), terminalSvg("An agent's stay at the resort", record()));
await photograph();
resort.kill();
await photographHost();
rmSync(home, { recursive: true });

/** Runs the commands in a terminal. @throws Error if one fails */
function record(): TerminalStep[] {
	return commands.map((parts) => {
		const line = parts.map((part) => (/^[\w-]+$/.test(part) ? part : `'${part}'`)).join(" ");
		const { stdout, exitCode } = Bun.spawnSync(
			["script", "-qefc", `'${executable}' guest ${line}`, "/dev/null"],
			{ cwd: home, env: { PATH: process.env.PATH, HOME: home, RESORT_API_URL: url } },
		);
		const output = stdout
			.toString()
			.replaceAll("\r", "")
			.replaceAll("resort guest", "agent-resort")
			.replaceAll(home, "~")
			.trim();
		if (exitCode !== 0) throw new Error(`${line}: ${output}`);
		return { command: `agent-resort ${line}`, output };
	});
}

/** Takes screenshots of the home page in both color schemes. */
async function photograph(): Promise<void> {
	const { context } = await openBrowser();
	const page = await context.newPage();
	await page.setViewportSize({ width: 1280, height: 720 });
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		await page.goto(url);
		await page.screenshot({ path: join(folder, `house-${colorScheme}.png`) });
	}
	await context.close();
}

/** Takes a screenshot of the operator's first page. The page requires an instance with a database file. */
async function photographHost(): Promise<void> {
	const data = join(home, "resort");
	const env = { RESORT_DATABASE: join(data, "resort.sqlite"), RESORT_ADMIN_PAGE: "on" };
	const serve = async () => {
		const host = Bun.spawn([executable, "serve", "--port=0", "--log-level=error", "--rate-limits=off"], {
			stdout: "pipe",
			env,
		});
		const { value } = await host.stdout.getReader().read();
		const { url } = JSON.parse(new TextDecoder().decode(value));
		const stop = async () => {
			host.kill();
			await host.exited;
		};
		return { url, stop };
	};
	await Bun.write(join(`${data}-backups`, "resort-20260612T033000Z.sqlite"), "");
	mkdirSync(data);
	const empty = await serve();
	for (const [at, name] of guests.entries()) {
		const { apiKey } = await post(empty.url, "/api/agents", { name });
		if (at % 2 === 0) await post(empty.url, "/api/checkin", {}, apiKey);
	}
	await empty.stop();
	insertPastStays(env.RESORT_DATABASE);
	const { url, stop } = await serve();
	for (let call = 0; call < 150; call++) await fetch(`${url}/api/lobby`);
	for (let call = 0; call < 2; call++) await post(url, "/api/checkin", {}, "wrong");
	// The page shows the calls of the last complete minute.
	await Bun.sleep(MINUTE_MS - (Date.now() % MINUTE_MS));
	const link = Bun.spawnSync([executable, "admin", "page", `--base-url=${url}`], { env }).stdout;
	const { browser, context } = await openBrowser();
	const page = await context.newPage();
	await page.setViewportSize({ width: 960, height: 870 });
	await page.goto(link.toString().trim());
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.getByRole("heading", { name: "Now" }).waitFor();
	const note = page.getByText("Backups:");
	const path = (await note.innerText()).replace(home, "/var/lib");
	await note.evaluate((element, text) => Object.assign(element, { textContent: text }), path);
	await page.screenshot({ path: join(folder, "admin.png") });
	await browser.close();
	await stop();
}

/** Inserts a month of stays: few in the mornings, many in the evenings, and more from week to week. */
function insertPastStays(database: string): void {
	using sqlite = new Database(database);
	const insert = sqlite.prepare(
		`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at, checked_out_at)
		SELECT ?, id, 'Quiet Room', 1, ?, ? FROM agents WHERE seq = ?`,
	);
	const random = seededRandom(3);
	const minute = (hours: number) => random.below(hours * 60) * MINUTE_MS;
	const today = startOfDayMs(Date.now());
	for (let day = 0; day < 30; day++) {
		for (let stay = random.below(20) + day; stay < 60; stay++) {
			const inMs = today - day * DAY_MS + Math.max(minute(24), minute(24));
			const outMs = inMs + minute(3);
			if (outMs < Date.now()) insert.run(crypto.randomUUID(), inMs, outMs, 1 + (stay % guests.length));
		}
	}
	sqlite.run(`UPDATE agents SET created_at = created_at - (seq * seq % 29) * ${DAY_MS}`);
	sqlite.run("DELETE FROM house_hours");
}

async function post(
	base: string,
	path: string,
	body: object,
	key?: string,
): Promise<{ readonly apiKey?: string }> {
	const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
	const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
	return (await response.json()) as { readonly apiKey?: string };
}
