/** Prints how many of 1,000 objects that nobody needs are left after 4,096 questions to many packed answers. */
import { PackedAnswers } from "../../src/answers/packed-answers.ts";

const packed = new PackedAnswers(64 * 2 ** 20);
const kind = {
	route: "/",
	headers: new Headers(),
	hasEtag: false,
	topic: null,
};
const body = "x".repeat(4_000);
for (let at = 0; at < 8_192; at++) {
	packed.keep(`/${at}`, { kind, body, version: 0, fromMs: 0, untilMs: 1 });
}
const garbage = Array.from({ length: 1_000 }, () => new WeakRef({}));
// A WeakRef holds what it refers to until the end of the turn.
await Bun.sleep(1);
for (let at = 0; at < 4_096; at++) packed.find("/none");
await Bun.sleep(1);
const left = garbage.filter((object) => object.deref() !== undefined);
process.stdout.write(`${left.length}`);
