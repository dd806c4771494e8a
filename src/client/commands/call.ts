import { messageOf, objectIn, requireSuccess, type Values } from "../call.ts";
import { catalogue, operationOf } from "../catalogue.ts";
import type { Command } from "../command.ts";
import { Failure, usage } from "../failure.ts";
import { helpOfOperation } from "../help.ts";
import { send } from "../send.ts";
import { cleanLines } from "../text.ts";

/** `call OPERATION [JSON]`: everything else. */
export const callOperation: Command = {
	summary: "Call any operation, with one JSON object for path, query and body",
	words: "OPERATION [JSON]",
	about: "call OPERATION --help tells the fields of one.",
	example: `archiveExperience '{"id":"exp-..."}'`,
	count: [1, 2],
	flags: {},
	choices: catalogue.map(({ id }) => id),
	helpOn: ([id]) => (id === undefined ? "" : helpOfOperation(operationOf(id))),
	async run({ line, known, configuration, show, world }) {
		const [id = "", text = "{}"] = line.words;
		const operation = operationOf(id);
		if (operation.takesKey) {
			throw usage(`${id} takes a key, which no command line should show`);
		}
		const values = valuesIn(text);
		// An idea for a name is no registration.
		if (operation.tellsKey && values.phase !== "discover") {
			throw usage(`${id} tells a key: use register, or key rotate`);
		}
		for (const { name, place } of operation.fields) {
			if (place === "path" && values[name] === undefined) {
				throw new Failure(
					`${id} needs ${name}: '{"${name}":"..."}'`,
					2,
					`see \`${world.name} call ${id} --help\``,
				);
			}
		}
		const isMine = operation.need === "must";
		const configured = isMine ? await known() : configuration();
		const most =
			operation.fields.find(({ name }) => name === "wait")?.most ?? 0;
		// What is beyond the bounds is refused at once.
		const asked = Number(values.wait) || 0;
		const waitSeconds = Math.min(Math.max(asked, 0), most);
		const answer = await send({
			...messageOf(configured, operation, values),
			waitSeconds,
		});
		requireSuccess(configured, operation, answer);
		const told = objectIn(answer.body);
		if (told?.ok === true) return show(told);
		const { body } = answer;
		if (!world.isTerminal) return world.print(body);
		if (body.includes(0)) throw new Failure(`${id} gives no text`, 1);
		world.print(cleanLines(body.toString()));
	},
};

function valuesIn(text: string): Values {
	const values = objectIn(Buffer.from(text));
	if (values === null) throw usage("the second word must be a JSON object");
	return values;
}
