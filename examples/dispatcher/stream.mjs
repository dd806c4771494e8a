// Gives work to agents once they are available. Its arguments are their ids, 100 at most.
import { setTimeout as sleep } from "node:timers/promises";

const [resort, ids] = [process.env.RESORT_URL, process.argv.slice(2)];
let cursor = "";

async function assign(free) {
	const answer = await fetch(`${resort}/api/agents/status?ids=${free}`);
	const { statuses } = await answer.json();
	for (const { agent, status } of statuses) if (status === "available") console.log("assign", agent.id);
}
async function follow(frames = [""]) {
	const headers = { accept: "text/event-stream", "last-event-id": cursor };
	const answer = await fetch(`${resort}/api/events?types=agent.available&ids=${ids}`, { headers });
	if (!answer.ok || !answer.body) throw new Error(await answer.text());
	for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
		frames = (frames.at(-1) + chunk).split("\n\n");
		for (const frame of frames.slice(0, -1)) {
			const { agent, cursor: reset } = JSON.parse(frame.split("\ndata: ")[1] ?? "{}");
			if (agent || reset || !cursor) await assign(agent ? [agent.id] : ids);
			cursor = /^id: (\d+)$/m.exec(frame)?.[1] ?? cursor;
		}
	}
}
for (;;) {
	await follow().catch(console.error);
	await sleep(2000);
}
