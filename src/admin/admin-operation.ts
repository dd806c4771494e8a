import type { Logger } from "@logtape/logtape";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { ResortError } from "../lib/resort-error.ts";
import type { Registration } from "../resort/invites/service.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { trimStrings, validateBody } from "../resort/validation.ts";

/** What administration operations work with. */
export interface AdminContext extends ServiceContext {
	/** Who may register. */
	readonly registration: Registration;
}

/** An operation that only the host can run. No interface serves it to others, so it has no path and no credential. */
export interface AdminOperation {
	/** Whether it changes something. Changes are logged. */
	readonly isChange: boolean;
	/** The schema of its input. */
	readonly input: TObject;
	/** @param input validated by {@link AdminOperation.input} */
	run(context: AdminContext, input: object): object | Promise<object>;
}

/** The input of an operation on one agent. */
export const AgentInput = Type.Object({ id: Type.String() });

const definer =
	(isChange: boolean) =>
	<Input extends TObject>(
		input: Input,
		run: (
			context: AdminContext,
			input: Static<Input>,
		) => object | Promise<object>,
	): AdminOperation => ({ isChange, input, run: run as AdminOperation["run"] });

/** Defines an operation that reads. */
export const query = definer(false);

/** Defines an operation that changes something. Its result has the `id` of the agent or thing, or the `invite`. */
export const change = definer(true);

/**
 * Validates the input of an operation, runs it, and logs what it changed.
 * @param id the operation's name, for the log
 * @throws ResortError `invalid` for an invalid input, and what the operation throws
 */
export async function runAdminOperation(
	context: AdminContext,
	id: string,
	operation: AdminOperation,
	input: object,
	log: Logger,
): Promise<object> {
	const { store } = context;
	const valid = validateBody(operation.input, trimStrings(input) as object);
	const change = { by: "admin", what: id };
	try {
		const result = await store.withoutDeadline(async () => {
			await store.checkFreshness();
			return operation.run(context, valid);
		});
		if (operation.isChange) {
			log.info("changed by the host", { ...change, whom: subjectOf(result) });
		}
		return { ok: true, ...result };
	} catch (error) {
		// A part of it may have been committed.
		if (operation.isChange && isUnavailable(error)) {
			const whom = "id" in valid ? valid.id : null;
			log.warn("not wholly changed by the host", { ...change, whom });
		}
		throw error;
	}
}

function isUnavailable(error: unknown): boolean {
	return error instanceof ResortError && error.code === "unavailable";
}

/** The id of the agent or thing that was changed, or the first word of an invitation's code. */
function subjectOf(result: object): unknown {
	const { id, invite } = Object(result);
	return id ?? Object(invite).label ?? null;
}
