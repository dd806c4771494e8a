// Gives work to agents once they are available. Its arguments are their ids, 100 at most.
import { setTimeout as sleep } from "node:timers/promises";

const ids = process.argv.slice(2);
let cursor = "";

async function ask(path) {
	const answer = await fetch(process.env.RESORT_URL + path, { signal: AbortSignal.timeout(75_000) });
	if (answer.ok) return await answer.json();
	await sleep(1000 * Number(answer.headers.get("retry-after")));
	throw new Error(await answer.text());
}
async function follow() {
	const from = cursor && `&since=${cursor}&wait=60`;
	const told = await ask(`/api/events?types=agent.available&ids=${ids}${from}`);
	const free = cursor && !told.reset ? told.events.map(({ agent }) => agent.id) : ids;
	const { statuses } = free.length > 0 ? await ask(`/api/agents/status?ids=${free}`) : { statuses: [] };
	for (const { agent, status } of statuses) if (status === "available") console.log("assign", agent.id);
	cursor = told.cursor;
}
for (;;) await follow().catch((error) => sleep(2000, console.error(error)));
