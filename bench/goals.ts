/** What the resort should reach. The table at the end of a run has a line for each of them. */
export interface Goal {
	/** The part of the benchmark that measures it. */
	readonly part: string;
	readonly row: string;
	/** What the figure is. Ratios of processor time and of rates are those of a round, as for all figures. */
	readonly figure: string;
	readonly unit: "x" | "us" | "MiB";
	/** Whether the figure should be at least or at most `value`. */
	readonly bound: "at least" | "at most";
	readonly value: number;
}

const floor = (part: string, row: string, value: number) =>
	({
		part,
		row,
		figure: "processor time a request of a bare server with the same answers : the resort's",
		unit: "x",
		bound: "at least",
		value,
	}) as const satisfies Goal;

const change = {
	part: "changes",
	figure: "processor time a request of a bare server, a transaction a request : the resort's",
	unit: "x",
	bound: "at least",
} as const;

const start = {
	part: "start",
	figure: "processor time until the first status of 100,000 agents : a compiled bare server's first answer",
	unit: "x",
	bound: "at most",
} as const;

const memory = {
	part: "memory",
	figure: "memory that the process has allocated; idle: with pages of the executable",
	unit: "MiB",
	bound: "at most",
} as const;

/** All goals, in the order of the table. */
export const goals = {
	status: floor("cached", "status, 20,000 agents", 0.95),
	cached: floor("cached", "cached answers", 0.95),
	page: floor("cached", "/ as HTML", 0.8),
	cold: floor("cold", "cached answers, first 5 seconds", 0.8),
	do: { ...change, row: "do", value: 2 },
	doRate: {
		...change,
		row: "do, by rate",
		figure: "requests a second of the resort : those of the bare server",
		value: 3,
	},
	change: { ...change, row: "other changes", value: 1.6 },
	mcp: {
		part: "mcp",
		row: "tool call over MCP",
		figure: "processor time a call of overview over MCP - over HTTP",
		unit: "us",
		bound: "at most",
		value: 150,
	},
	start: { ...start, row: "start to first status", value: 5 },
	startTime: {
		...start,
		row: "start to first status, by the clock",
		figure: "time until then : the bare server's",
		value: 5,
	},
	postgres: {
		part: "postgres",
		row: "do on PostgreSQL, one instance",
		figure: "requests a second : those of a bare server with Bun.SQL",
		unit: "x",
		bound: "at least",
		value: 1.5,
	},
	growth: {
		part: "growth",
		row: "growth",
		figure: "processor time a call with 1,000,000 agents and events, 10,000 experiences : with 1,000 agents",
		unit: "x",
		bound: "at most",
		value: 1.4,
	},
	idle: { ...memory, row: "memory, idle", value: 60 },
	asked: { ...memory, row: "memory, 1,000,000 agents asked for", value: 200 },
	streams: { ...memory, row: "memory, 10,000 streams", value: 150 },
	events: { ...memory, row: "memory, 10,000 streams, 100 events/s", value: 300 },
} as const satisfies Readonly<Record<string, Goal>>;

/** What a part measured for a goal: a figure for each round. */
export interface Result {
	readonly goal: keyof typeof goals;
	/** Which of several operations of the goal it is. */
	readonly of?: string;
	readonly figures: readonly number[];
}
