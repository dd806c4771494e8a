import type { Random } from "../../../src/lib/random.ts";
import type { Ground, Plan } from "./ground.ts";

/** How many instances serve one database. */
export const INSTANCES = 3;

/** What a scene is opened with. */
export interface SceneOptions {
	/** The major version of PostgreSQL; the usual one when undefined. */
	readonly version: number | undefined;
	/** The commit of the version before this one. */
	readonly before: string;
}

/** A database with its surroundings. */
export interface Stage extends AsyncDisposable {
	/** How each instance is started at first. */
	readonly plans: readonly Plan[];
	/** The address of the database, past everything that is broken. */
	readonly database: string;
	/**
	 * Breaks something and makes it good again.
	 * @returns when all instances should serve again
	 */
	strike(ground: Ground, random: Random): Promise<void>;
}

/** A fault that instances and their guests must survive. */
export interface Scene {
	readonly name: string;
	readonly about: string;
	/** Whether a stage can be struck only once. */
	readonly isOnce?: boolean;
	/** Whether every call must have a clear answer. */
	readonly isSeamless?: boolean;
	/** Why it cannot be played here; undefined when it can. */
	readonly reasonAgainst?: string;
	open(options: SceneOptions): Promise<Stage>;
}

/** As many plans as there are instances, all for one address. */
export function plansFor(database: string): Plan[] {
	return Array.from({ length: INSTANCES }, () => ({ database }));
}
