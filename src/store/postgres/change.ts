import type { StoreEvent } from "../store.ts";
import type { QueryResult } from "../task.ts";
import type { Connection } from "./connection.ts";
import { PostgresFailure, UnknownOutcome } from "./failures.ts";
import { Heads } from "./heads.ts";
import { Announced, Asked } from "./questions.ts";
import { answer } from "./reading.ts";

/** A change that was committed. */
export interface Changed<T> {
	readonly value: T;
	readonly news: readonly StoreEvent[];
	/** The number of the slot's news with them; null when there are none. */
	readonly head: number | null;
}

/** How far a change has come, and whether anybody still waits for it. */
export interface Course {
	/** Set from outside: it is rolled back, unless it is being committed. */
	isGivenUp: boolean;
	/** Whether COMMIT has been sent: from then on it may have happened. */
	isCommitting: boolean;
}

/**
 * Runs a rule in a transaction. What it need not wait for shares the round trip of the next question, or of the
 * commit.
 * @param slot the connection's, for the news
 * @throws what the rule throws; PostgresFailure when the transaction failed and nothing of it has happened;
 * UnknownOutcome
 */
export async function transact<T>(
	task: QueryResult<T>,
	connection: Connection,
	slot: number,
	course: Course,
): Promise<Changed<T>> {
	const sent: Promise<unknown>[] = [];
	const send = <R>(asked: Promise<R>): Promise<R> => {
		// Each failure is looked at in its turn.
		asked.catch(() => {});
		sent.push(asked);
		return asked;
	};
	const news: StoreEvent[] = [];
	let value: T;
	try {
		send(connection.begin());
		const steps = task[Symbol.iterator]();
		let step = steps.next();
		while (!step.done) {
			const wait = step.value;
			if (wait instanceof Announced) {
				news.push(wait.news);
				step = steps.next();
			} else if (wait instanceof Asked && !wait.isAwaited) {
				send(connection.query(wait.text, wait.parameters));
				step = steps.next();
			} else {
				const answered = await send(answer(wait, connection));
				if (course.isGivenUp) throw new PostgresFailure(null, "given up");
				step = steps.next(answered);
			}
		}
		value = step.value;
	} catch (error) {
		// The connection is free once this is sent; what comes later on it waits for it.
		connection.rollBack().catch(() => connection.close());
		// A failure of the server explains what came after it.
		await Promise.all(sent);
		throw error;
	}
	const moving =
		news.length > 0 ? send(Heads.move(connection, slot, news)) : null;
	course.isCommitting = true;
	try {
		await connection.commit();
	} catch (error) {
		// Only the answer to the COMMIT tells: what was sent before it is lost with the same connection.
		if (!(error instanceof PostgresFailure)) throw error;
		if (!error.isUndone) throw new UnknownOutcome(error);
		await Promise.all(sent);
		throw error;
	}
	return { value, news, head: await moving };
}
