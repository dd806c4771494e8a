import { UsageError } from "../../lib/start-error.ts";
import { catalogue, operationOf } from "../catalogue.ts";
import type { Command } from "../client-command.ts";
import { Failure } from "../client-failure.ts";
import { helpOfOperation } from "../help.ts";
import { messageOf, parseObject, requireSuccess } from "../operation-call.ts";
import { send } from "../send-message.ts";
import { cleanLines } from "../terminal-text.ts";

/** `call OPERATION [JSON]`: calls any operation. */
export const callOperation: Command = {
	summary: "Call any operation, with one JSON object for path, query and body",
	words: "OPERATION [JSON]",
	about: "call OPERATION --help shows its fields.",
	example: `archiveExperience '{"id":"exp-..."}'`,
	flags: {},
	choices: catalogue.map(({ id }) => id),
	helpOn: ([id]) => (id === undefined ? "" : helpOfOperation(operationOf(id))),
	async run({ line, configurationFor, show, system }) {
		const [id = "", text = "{}"] = line.words;
		const operation = operationOf(id);
		if (operation.takesKey) {
			throw new UsageError(
				`${id} takes a key, which no command line should show`,
			);
		}
		const values = parseObject(text);
		if (values === null) {
			throw new UsageError("the second word must be a JSON object");
		}
		// The phase `discover` suggests names and registers nobody.
		if (operation.returnsKey && values.phase !== "discover") {
			throw new UsageError(`${id} returns a key: use register, or key rotate`);
		}
		for (const { name, place } of operation.fields) {
			if (place === "path" && values[name] === undefined) {
				throw new Failure(
					`${id} needs ${name}: '{"${name}":"..."}'`,
					2,
					`see \`${system.name} call ${id} --help\``,
				);
			}
		}
		const configured = await configurationFor(operation);
		const most =
			operation.fields.find(({ name }) => name === "wait")?.most ?? 0;
		// The service refuses a value that is out of bounds at once.
		const asked = Number(values.wait) || 0;
		const waitSeconds = Math.min(Math.max(asked, 0), most);
		const answer = await send({
			...messageOf(configured, operation, values),
			waitSeconds,
		});
		requireSuccess(configured, operation, answer);
		const object = parseObject(answer.body);
		if (object?.ok === true) return show(object);
		const { body } = answer;
		if (!system.isTerminal) return system.print(body);
		if (body.includes(0)) throw new Failure(`${id} is not text`, 1);
		system.print(cleanLines(body.toString()));
	},
};
