/** Bare `Bun.serve` with prepared statements of bun:sqlite. Usage: status.ts DATABASE */
import { Database } from "bun:sqlite";
import {
	AGENT,
	type AgentRow,
	NEWEST_STAY,
	pragmas,
	type StayRow,
	statusOf,
} from "./answer.ts";
import { tellReady } from "./ready.ts";

const sqlite = new Database(process.argv[2] ?? "");
for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);
const agentById = sqlite.prepare<AgentRow, [string]>(AGENT);
const newestStay = sqlite.prepare<StayRow, [string]>(NEWEST_STAY);

tellReady(
	Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		development: false,
		routes: {
			"/api/agents/:id/status": ({ params: { id } }) => {
				const agent = agentById.get(id);
				if (agent === null) {
					return Response.json({ error: "Agent not found" }, { status: 404 });
				}
				return Response.json(statusOf(agent, newestStay.get(id)));
			},
		},
		fetch: () => Response.json({ error: "Not found" }, { status: 404 }),
	}),
);
