import { existsSync } from "node:fs";
import { SQL } from "bun";
import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { executable, type Serving } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import type { Answers } from "../answers.ts";
import type { Found } from "../book.ts";
import { examine } from "../consistency.ts";
import { Crowd } from "../crowd.ts";
import { guest } from "../guest.ts";
import { serveApart } from "../part.ts";

/** The default number of connections of an instance. */
const CONNECTIONS = 16;

/** How long an instance keeps running after guests have stopped choosing it. */
const LEAVE_MS = 200;

/** The load on the instances. */
export interface Pressure {
	readonly guests: number;
	readonly pauseMs?: number;
	readonly calmMs: number;
}

/** How an instance is started. */
export interface Plan {
	/** The address of the database for this instance. */
	readonly database: string;
	/** The command to run instead of the executable. */
	readonly program?: readonly string[];
}

/** Several instances on one database, and guests that write at all of them. */
export class Ground implements AsyncDisposable {
	readonly #plans: Plan[];
	readonly #instances: (Serving | null)[];
	readonly #crowd: Crowd;
	readonly #folder = new TemporaryFolder();
	readonly #failures: string[] = [];

	constructor(
		plans: readonly Plan[],
		seed: number,
		readonly answers: Answers,
		readonly pressure: Pressure,
	) {
		this.#plans = [...plans];
		this.#instances = plans.map(() => null);
		const urls = plans.map(() => null);
		this.#crowd = new Crowd(answers, seededRandom(seed), urls, guest, pressure.pauseMs);
	}

	get size(): number {
		return this.#plans.length;
	}

	async begin(): Promise<void> {
		if (!existsSync(executable)) throw new Error("run: bun run build");
		await Promise.all(this.#plans.map((_, at) => this.start(at)));
		this.#crowd.begin(this.pressure.guests);
		this.answers.heal();
		await this.answers.allServe(this.size);
	}

	async start(at: number, plan = this.#plans[at]): Promise<void> {
		if (plan === undefined) throw new Error(`no instance ${at}`);
		this.#plans[at] = plan;
		const serving = await serveApart(plan.database, {
			cwd: this.#folder.path,
			...(plan.program !== undefined && { program: plan.program }),
		});
		this.#instances[at] = serving;
		// Guests call the instance only after its first response: until then, it is loading the application.
		await fetch(`${serving.url}/api/activities`);
		this.#crowd.urls[at] = serving.url;
	}

	async kill(at: number): Promise<void> {
		await this.#remove(at)?.stop("SIGKILL");
	}

	/** Stops an instance after the guests have stopped calling it, as an operator does to replace it. */
	async end(at: number): Promise<void> {
		const serving = this.#remove(at);
		if (serving == null) return;
		// A guest that has just chosen this instance may still call it.
		await Bun.sleep(LEAVE_MS);
		const { exitCode, stderr } = await serving.stop();
		if (exitCode !== 0) {
			this.#failures.push(`instance ${at + 1} ended with ${exitCode}`);
		}
		const unforeseen = stderr.split("\n").filter(isUnforeseen);
		this.#failures.push(...unforeseen.slice(0, 3).map((line) => line.slice(0, 600)));
	}

	/** Stops the guests and the instances, and compares the database with the responses. */
	async finish(database: string): Promise<Found> {
		await this.#crowd.stop();
		await using sql = new SQL(database, { max: 1 });
		const [held] =
			await sql`select count(*)::int as n from pg_stat_activity where application_name = 'agent-resort'`;
		if (held.n > this.size * CONNECTIONS) {
			this.#failures.push(`the instances hold ${held.n} connections`);
		}
		for (const at of this.#plans.keys()) await this.end(at);
		const query = (text: string) => sql.unsafe(text);
		const found = await this.#crowd.book.check(query);
		const contradictions = await examine(query);
		return { ...found, failures: [...this.#failures, ...found.failures, ...contradictions] };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const at of this.#plans.keys()) await this.kill(at);
		await this.#crowd.stop();
		this.#folder[Symbol.dispose]();
	}

	/** Keeps guests from calling an instance from now on, and returns the instance. */
	#remove(at: number): Serving | null | undefined {
		const serving = this.#instances[at];
		this.#crowd.urls[at] = null;
		this.#instances[at] = null;
		return serving;
	}
}

/** Returns whether a line of the log reports anything that an outage of the database does not explain. */
function isUnforeseen(line: string): boolean {
	return line.trim() !== "" && !/Storage unavailable|sweep failed|database (lost|back)/.test(line);
}
