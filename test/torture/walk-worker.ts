/**
 * Walks the rounds that a `Walker` orders, one after the other: `bun test/torture/walk-worker.ts PROGRAM`, where the
 * program is `walk-child.ts`, compiled.
 */
import {
	type Order,
	type Teller,
	walkWithKills,
	walkWithRestarts,
} from "./walk-round.ts";
import type { Message } from "./walker.ts";

const [program = ""] = process.argv.slice(2);
let isStopped = false;
const teller: Teller = {
	isStopped: () => isStopped,
	tell: (walked) => send({ walked }),
};

process.on("message", async (order: Order | "stop") => {
	if (order === "stop") {
		isStopped = true;
		return;
	}
	const walking = order.isKilled
		? walkWithKills(program, order, teller)
		: walkWithRestarts(order, teller);
	const failure = await walking.then(
		() => null,
		(error) => String(error),
	);
	send({ failure });
});
// Whoever ordered is gone.
process.on("disconnect", () => {
	isStopped = true;
});

function send(message: Message): void {
	if (process.connected) process.send?.(message);
}
