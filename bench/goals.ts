/** A figure that the resort should reach. The table at the end of a run has a line for each goal. */
export interface Goal {
	/** The part of the benchmark that measures the figure. */
	readonly part: string;
	readonly row: string;
	/** Describes the figure: a ratio (with a colon), a difference or an amount. */
	readonly compared: string;
	readonly unit: "x" | "us" | "MiB";
	/** Whether the figure should be at least or at most `value`. */
	readonly bound: "at least" | "at most";
	readonly value: number;
}

/** The processor time per request of a bare server, divided by that of the resort. */
const PROCESSOR = "processor time, bare : resort";

const cached = { part: "cached", compared: PROCESSOR, unit: "x", bound: "at least" } as const;
const change = { part: "changes", compared: PROCESSOR, unit: "x", bound: "at least" } as const;
const start = { part: "start", unit: "x", bound: "at most", value: 5 } as const;
const memory = { part: "memory", compared: "allocated", unit: "MiB", bound: "at most" } as const;

/** All goals, in the order of the table. `bench/README.md` describes what each part compares. */
export const goals = {
	status: { ...cached, row: "status, 20,000 agents", value: 0.95 },
	cached: { ...cached, row: "cached answers", value: 0.95 },
	page: { ...cached, row: "/ as HTML", value: 0.8 },
	cold: { ...cached, part: "cold", row: "cached answers, first 5 seconds", value: 0.8 },
	do: { ...change, row: "do", value: 2 },
	doRate: { ...change, row: "do", compared: "requests/s, resort : bare", value: 3 },
	change: { ...change, row: "other changes", value: 1.6 },
	mcp: {
		part: "mcp",
		row: "tool call",
		compared: "processor time, MCP - HTTP",
		unit: "us",
		bound: "at most",
		value: 150,
	},
	start: { ...start, row: "start to first status", compared: "processor time, resort : bare" },
	startTime: { ...start, row: "start to first status", compared: "time, resort : bare" },
	postgres: {
		part: "postgres",
		row: "do on PostgreSQL, one instance",
		compared: "requests/s, resort : bare",
		unit: "x",
		bound: "at least",
		value: 1.5,
	},
	growth: {
		part: "growth",
		row: "growth",
		compared: "processor time, 1,000,000 : 1,000 agents",
		unit: "x",
		bound: "at most",
		value: 1.4,
	},
	idle: { ...memory, row: "memory, idle", compared: "with mapped files", value: 60 },
	asked: { ...memory, row: "memory, 1,000,000 agents asked for", value: 200 },
	streams: { ...memory, row: "memory, 10,000 streams", value: 150 },
	events: { ...memory, row: "memory, 10,000 streams, 100 events/s", value: 300 },
} as const satisfies Readonly<Record<string, Goal>>;

/** The measurements of a part for a goal: one figure for each round. */
export interface Result {
	readonly goal: keyof typeof goals;
	/** The name of the measured operation, if the goal applies to several operations. */
	readonly of?: string;
	readonly figures: readonly number[];
}
