// A dispatcher gives work to an agent only when it is not resting. Run it with:
//   resort test -- bun test ./examples/dispatcher.test.ts
import { expect, test } from "bun:test";

const resort = process.env.RESORT_URL;

class Dispatcher {
	readonly assigned: string[] = [];

	/** Gives whether the task was assigned. */
	async assign(task: string, agentId: string): Promise<boolean> {
		const { status } = await call("GET", `/api/agents/${agentId}/status`);
		if (status !== "available") return false;
		this.assigned.push(task);
		return true;
	}
}

test("an agent that relaxes is given no work", async () => {
	const dispatcher = new Dispatcher();
	const ada = { name: "Ada" };
	const { agent, apiKey } = await call("POST", "/api/agents", "", ada);
	expect(await dispatcher.assign("first", agent.id)).toBe(true);

	await call("POST", "/api/checkin", apiKey);
	expect(await dispatcher.assign("second", agent.id)).toBe(false);

	await call("POST", "/api/checkout", apiKey);
	expect(await dispatcher.assign("third", agent.id)).toBe(true);
	expect(dispatcher.assigned).toEqual(["first", "third"]);
});

/** What the test reads of the answers. */
interface Answer {
	status: "available" | "relaxing";
	agent: { id: string };
	apiKey: string;
}

async function call(method: string, path: string, key = "", body?: object) {
	const response = await fetch(resort + path, {
		method,
		headers: {
			"Content-Type": "application/json",
			...(key && { Authorization: `Bearer ${key}` }),
		},
		...(body && { body: JSON.stringify(body) }),
	});
	if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
	return (await response.json()) as Answer;
}
