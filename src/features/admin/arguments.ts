/** The arguments of the operations of the host. */
import { integer } from "../../core/config/setting-kinds.ts";
import type { Flag } from "../../core/lib/command-line.ts";
import type { Page } from "../../core/resort/schemas.ts";

/** The required arguments, as they are named in help texts. */
export const words = { id: "ID", name: "NAME", code: "CODE", kind: "KIND" } as const;

/** The optional arguments. */
export const flags = {
	search: {
		value: "TEXT",
		help: "agents: the name contains this text, or the id equals it; texts: the text contains it",
	},
	relaxing: { help: "agents: only relaxing ones" },
	limit: { ...integer("lists: number of rows", 1_000, 1), preset: "20" },
	offset: { ...integer("lists: number of rows to skip", 1_000_000_000), preset: "0" },
	profile: { value: "FILE", help: "register: JSON file with the other profile fields" },
	by: { value: "ID", help: "only texts by this agent" },
	uses: { ...integer("invite: number of agents that may register with it", 100_000, 1), preset: "1" },
	days: { ...integer("invite: number of days it is valid", 3_650, 1), preset: "7" },
	agent: { value: "ID", help: "history: only actions on this agent" },
} as const satisfies Record<string, Flag>;

/** The limit of a list whose operation does not take `--limit`. */
export const ALL_ROWS = 1_000_000_000;

/**
 * The values of all arguments. An argument that the operation does not take has its default value; `limit` is
 * then {@link ALL_ROWS}.
 */
export interface Arguments extends Page, Record<Exclude<keyof typeof words, "kind">, string> {
	/** `agent`, or a kind of text. */
	readonly kind: string;
	/** Empty if everything is listed. */
	readonly search: string;
	/** Whether to list only agents that are relaxing. */
	readonly relaxing: boolean;
	/** The fields of a new agent's profile, before validation. */
	readonly profile: object;
	/** The author of the listed texts; null for all authors. */
	readonly by: string | null;
	/** The number of agents that may register with a new invitation. */
	readonly uses: number;
	/** The number of days for which a new invitation is valid. */
	readonly days: number;
	/** The agent whose history is listed; null for the whole history. */
	readonly agent: string | null;
}
