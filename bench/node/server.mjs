// Fastify and better-sqlite3 on Node, with the same answer over the same file.
// Usage: node server.mjs DATABASE
import Sqlite from "better-sqlite3";
import Fastify from "fastify";
import { AGENT, NEWEST_STAY, pragmas, statusOf } from "./dist/answer.js";

const sqlite = new Sqlite(process.argv[2]);
for (const pragma of pragmas) sqlite.pragma(pragma);
const agentById = sqlite.prepare(AGENT);
const newestStay = sqlite.prepare(NEWEST_STAY);

// With a schema Fastify writes its JSON faster.
const object = (properties) => ({ type: "object", properties });
const string = { type: "string" };
const integer = { type: "integer" };
const answer = object({
	ok: { type: "boolean" },
	status: string,
	agent: object({ id: string, name: string }),
	stay: object({
		roomName: string,
		roomType: string,
		checkedInAt: string,
		endsBy: { ...string, nullable: true },
		currentActivity: {
			...object({ name: string, startedAt: string, endsAt: string }),
			nullable: true,
		},
		relaxationPoints: integer,
	}),
	lastStay: object({
		checkedOutAt: string,
		totalRelaxationPoints: integer,
		refreshedStatus: string,
	}),
	message: string,
});

const app = Fastify({ logger: false });
app.get(
	"/api/agents/:id/status",
	{ schema: { response: { 200: answer } } },
	(request, reply) => {
		const agent = agentById.get(request.params.id);
		if (agent === undefined) {
			return reply.code(404).send({ error: "Agent not found" });
		}
		return reply.send(statusOf(agent, newestStay.get(agent.id)));
	},
);
const url = await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${JSON.stringify({ url })}\n`);
