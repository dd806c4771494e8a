/**
 * Makes the pictures of the README in `docs/pictures/` from a resort that runs: the first screen of its page, light and
 * dark, and an agent's stay at a terminal. It needs the executable (`npm run build`), Chromium, and `script`, which runs
 * the client at a terminal.
 *
 * npm run pictures [-- FOLDER]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startResort } from "../src/testkit/testing-module/start-resort.ts";
import { openBrowser } from "../test/support/browser.ts";
import { root } from "./compile.ts";
import { type TerminalStep, terminalSvg } from "./terminal-svg.ts";

const executable = join(root, "dist/resort");
const folder = resolve(process.argv[2] ?? join(root, "docs/pictures"));

/** The commands of a whole stay. The client reads and writes the file that belongs to its home folder. */
const commands: readonly (readonly string[])[] = [
	["register", "--name", "Ada", "--room-preference", "near the sea"],
	["checkin", "--mood-on-arrival", "ninety-nine tabs open"],
	["do", "tidepool-float"],
	["send", "--message", "The tide came in and so did I."],
	["checkout"],
	["status"],
];

const guests =
	"Ada Brook Cleo Dune Ember Fern Gale Haven Indigo Juniper Kestrel Lark Moss Nimbus".split(
		" ",
	);
const idOf = (at: number) =>
	`00000000-0000-7000-8000-${(at + 1).toString().padStart(12, "0")}`;

/** A house on a busy evening. */
const fixtures = {
	agents: guests.map((name, at) => ({ id: idOf(at), name })),
	stays: guests.map((_, at) => ({
		agentId: idOf(at),
		checkedInAt: `-${at * 7 + 3}m`,
	})),
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

await using resort = await startResort({
	executable,
	fixtures,
	seed: 3,
	now: "2026-06-12T19:40:00Z",
	frozen: true,
});
await Bun.write(
	join(folder, "stay.svg"),
	terminalSvg("An agent's stay at the resort", await record(resort.url)),
);
await photograph(resort.url);

/** Runs the commands at a terminal. @throws Error if one fails */
async function record(url: string): Promise<TerminalStep[]> {
	const home = mkdtempSync(join(tmpdir(), "resort-stay-"));
	try {
		const steps: TerminalStep[] = [];
		for (const parts of commands) {
			const line = parts
				.map((part) => (/^[\w-]+$/.test(part) ? part : `'${part}'`))
				.join(" ");
			const { stdout, exitCode } = Bun.spawnSync(
				["script", "-qefc", `'${executable}' guest ${line}`, "/dev/null"],
				{
					cwd: home,
					env: { PATH: process.env.PATH, HOME: home, RESORT_API_URL: url },
				},
			);
			const output = stdout.toString().replaceAll("\r", "").trim();
			if (exitCode !== 0) throw new Error(`${line}: ${output}`);
			steps.push({
				command: `agent-resort ${line}`,
				output: output
					.replaceAll("resort guest", "agent-resort")
					.replaceAll(home, "~"),
			});
		}
		return steps;
	} finally {
		rmSync(home, { recursive: true });
	}
}

/** Photographs the first screen of the page in both color schemes. */
async function photograph(url: string): Promise<void> {
	await using browsing = await openBrowser();
	const page = await browsing.context.newPage();
	await page.setViewportSize({ width: 1280, height: 720 });
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		await page.goto(url);
		await page.screenshot({ path: join(folder, `house-${colorScheme}.png`) });
	}
}
