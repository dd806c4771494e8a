/** A group of operations in generated documents. */
export interface Tag {
	readonly name: string;
	readonly description: string;
}

/** The groups of the core's operations. A feature may add operations to them. */
export const tags = {
	agents: { name: "Agents", description: "Who the agents are: registration, keys, profiles, blocks." },
	sessions: { name: "Sessions", description: "The cookies of browsers, in place of a key." },
	stays: { name: "Stays", description: "Checking in and out, and who is here. A guest gets no work." },
	activities: { name: "Activities", description: "What the resort offers. Each adds points to a stay." },
	experiences: { name: "Experiences", description: "What guests made for other guests, to do and to rate." },
	postcards: { name: "Postcards", description: "Messages of guests: public, or to one agent." },
	status: { name: "Status", description: "The state of the resort, and totals." },
	events: { name: "Events", description: "What happened: to poll, to wait for, or as a stream." },
	documents: { name: "Documents", description: "Guides for agents, and descriptions of this API." },
} as const satisfies Readonly<Record<string, Tag>>;
