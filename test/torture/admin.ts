import { join } from "node:path";
import { SQL } from "bun";
import { operations, unlisted } from "../../src/cli/operations.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import { placesOf, readEverywhere } from "../features/admin/everywhere.ts";
import { startCluster } from "../features/postgres/support/cluster.ts";
import { createDatabase } from "../features/postgres/support/databases.ts";
import { type Registered, resortAt } from "../support/calls.ts";
import { run, type Serving } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { Answers } from "./answers.ts";
import type { Book } from "./book.ts";
import { examineFile } from "./consistency.ts";
import { Crowd } from "./crowd.ts";
import { guest } from "./guest.ts";
import { type Part, serveApart } from "./part.ts";

/** How many commands are run, by how many hosts at the same time, while how many guests write. */
export interface Pressure {
	readonly commands: number;
	readonly hosts: number;
	readonly writers: number;
	readonly pauseMs?: number;
}

const PRESSURE: Pressure = { commands: 1_000, hosts: 2, writers: 50 };

/** The database on which the commands run, and the instances that serve it. */
export interface Stage {
	/** The path of a file, or the address of a database. */
	readonly database: string;
	readonly instances: number;
	readonly seed: number;
	readonly stop: AbortSignal;
}

const about = "commands of the host beside writers: nothing is lost or shown";

const onPostgres = (name: string, instances: number): Part => ({
	name,
	about: `${about}, ${instances} on PostgreSQL`,
	async run({ seed, stop }) {
		await using cluster = await startCluster();
		const database = await createDatabase(cluster.url);
		return await administer({ database, instances, seed, stop });
	},
});

/** Runs `resort admin` while guests write, and checks the effect of each command at every instance. */
export const adminParts: readonly Part[] = [
	{
		name: "admin-sqlite",
		about,
		async run({ seed, stop }) {
			using folder = new TemporaryFolder();
			const database = join(folder.path, "resort.sqlite");
			return await administer({ database, instances: 1, seed, stop });
		},
	},
	onPostgres("admin-postgres", 1),
	onPostgres("admin-instances", 2),
];

/** Runs commands as several hosts would at the same time, while guests write. */
export async function administer(stage: Stage, { commands, hosts, writers, pauseMs }: Pressure = PRESSURE) {
	using folder = new TemporaryFolder();
	const place = { cwd: folder.path };
	const { database, seed, stop } = stage;
	const serving: Serving[] = [];
	const answers = new Answers();
	const host = new Host(database, folder.path, serving, answers);
	for (let at = 0; at < stage.instances; at++) serving.push(await serveApart(database, place));
	const urls = serving.map(({ url }) => url);
	const random = seededRandom(seed);
	const crowd = new Crowd(answers, random, urls, guest, pauseMs);
	crowd.begin(writers);
	const isOver = () => host.commands >= commands || stop.aborted;
	const helper = await resortAt(urls[0] ?? "").guest({ name: "Helper" });
	const all = Array.from({ length: hosts }, async (_, at) => {
		for (let turn = at; !isOver(); turn += hosts) {
			await host.administerGuest(`zorb${turn}x`, helper);
		}
	});
	const failures = (await Promise.allSettled(all))
		.filter((outcome) => outcome.status === "rejected")
		.map(({ reason }) => `${reason}`);
	await crowd.stop();
	if (answers.refused > 0) failures.push(`${answers.refused} calls were 503`);
	const { total } = await host.command(["history", "--limit", "1"]);
	if (total !== host.changes) {
		failures.push(`${host.changes} changes, but ${total} in the history`);
	}
	for (const instance of serving) {
		const { exitCode, stderr } = await instance.stop();
		if (exitCode !== 0 || stderr !== "") failures.push(stderr.slice(0, 600));
	}
	failures.push(...answers.failures, ...(await inspect(database, crowd.book)));
	return {
		figures: [
			["commands", `${host.commands}`],
			["acknowledged writes", `${crowd.book.acknowledged}`],
		] as const,
		failures,
	};
}

/** Compares the database with the recorded writes after all instances have stopped. */
async function inspect(database: string, book: Book): Promise<readonly string[]> {
	// An SQLite file is checked for damage, but not for contradictions between its rows. The check for these
	// would report every erased agent, because it has no key and no events.
	if (!database.startsWith("postgres:")) return examineFile(database, book, async () => []);
	await using sql = new SQL(database, { max: 1 });
	return (await book.check((text) => sql.unsafe(text))).failures;
}

class Host {
	commands = 0;
	changes = 0;

	constructor(
		readonly database: string,
		readonly cwd: string,
		readonly instances: readonly Serving[],
		readonly answers: Answers,
	) {}

	/** Runs a command that must succeed, and must not report that the database is locked. Returns its JSON. */
	async command(args: readonly string[], stdin?: string) {
		const { exitCode, stdout, stderr } = await run(
			["admin", ...args, "--json", "--database", this.database],
			// A separate session keeps Ctrl-C from ending the command; `serveApart` does this for instances.
			{ cwd: this.cwd, before: ["setsid"], ...(stdin !== undefined && { stdin }) },
		);
		this.commands++;
		if (exitCode !== 0 || /locked|busy/i.test(stderr)) {
			throw new Error(`${args.join(" ")}: ${exitCode} ${stderr}`);
		}
		return JSON.parse(stdout);
	}

	async change(...args: readonly string[]) {
		this.changes++;
		return this.command(args, `${args[1]}\n`);
	}

	/** Registers a guest that writes texts, and runs every `resort admin` command on this guest. */
	async administerGuest(mark: string, helper: Registered): Promise<void> {
		const resort = resortAt(this.instances[0]?.url ?? "");
		const agent = await resort.guest({ name: `${mark} name`, bio: `${mark} bio` });
		const { id, key } = agent;
		const experience = await resort.create(agent, {
			name: `${mark} bath`,
			category: `${mark} water`,
			description: `${mark} described`,
			location: `${mark} cellar`,
		});
		await resort.complete(agent, experience.id);
		const vote = await resort.vote(agent, experience.id, 4, `${mark} review`);
		await resort.complete(helper, experience.id);
		const postcard = await resort.sendPostcard(agent, { message: `${mark} card` });
		const things = { agents: [agent, helper], experienceIds: [experience.id] };
		const shown = (...texts: string[]) => this.#expectPlaces(things, texts, true);
		const gone = (...texts: string[]) => this.#expectPlaces(things, texts, false);
		const own = [
			["postcard", postcard.id, `${mark} card`],
			["experience", experience.id, `${mark} bath`],
			["review", vote.id, `${mark} review`],
		] as const;
		const texts = own.map(([, , text]) => text);

		await shown(mark, ...texts);
		for (const [kind, textId, text] of own) {
			await this.change("hide", kind, textId);
			await gone(text);
			await this.change("show", kind, textId);
		}
		await this.change("hide", "agent", id);
		await gone(...texts);
		await this.change("show", "agent", id);
		await shown(...texts);
		await this.change("rename", id, `${mark} other`);
		await gone(`${mark} name`);
		await this.change("check-out", id);
		await this.#expect(`/api/agents/${id}/status`, "", 200, "available");
		const { apiKey } = await this.change("reset-key", id);
		await this.#expect("/api/me", key, 401);
		await this.#expect("/api/me", apiKey, 200, `${mark} other`);
		await this.change("deactivate", id);
		await this.#expect(`/api/agents/${id}`, "", 404);
		await this.change("reactivate", id);
		await this.#expect(`/api/agents/${id}`, "", 200, `${mark} other`);
		await this.change("export", id);
		await this.command(["agents", "--search", mark]);
		await this.command(["history", "--agent", id]);
		const { invite } = await this.change("invite");
		await this.change("revoke-invite", invite.label);
		await this.command(["stats"]);
		await this.change("erase", id);
		await gone(mark);
		if (this.database.startsWith("postgres:")) return;
		const names = [this.database, `${this.database}-wal`];
		// A separate process reads the files, because they are large and this process measures the durations of
		// calls.
		const search = Bun.spawn(["grep", "-lFs", mark, ...names]);
		const files = await new Response(search.stdout).text();
		if (files !== "") this.answers.fail(`${mark} is left in ${files}`);
	}

	/**
	 * Requires that the public responses of every instance contain the texts if `isShown`, and otherwise do not
	 * contain them.
	 */
	async #expectPlaces(
		things: Parameters<typeof readEverywhere>[1],
		texts: readonly string[],
		isShown: boolean,
	): Promise<void> {
		const reads = this.instances.map((instance) => {
			const call: Serving["call"] = (...request) => instance.call(...request);
			return readEverywhere({ operations, unlisted, call }, things);
		});
		for (const read of await Promise.all(reads)) {
			for (const text of texts) {
				const places = placesOf(read, text);
				if (places.length > 0 === isShown) continue;
				this.answers.fail(`${text} in ${places.slice(0, 5)}`);
			}
		}
	}

	async #expect(path: string, key: string, status: number, text = ""): Promise<void> {
		for (const instance of this.instances) {
			const answered = await instance.call("GET", path, { key });
			if (answered.status === status && answered.text.includes(text)) continue;
			this.answers.fail(`${path}: ${answered.status} ${answered.text.slice(0, 200)}`);
		}
	}
}
