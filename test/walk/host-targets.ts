import type { Call } from "./call.ts";
import type { Agent, Experience } from "./entities.ts";
import type { Focus } from "./moments.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** What the host does, and what is worth calling afterwards, by whom. */
export interface HostsMove {
	readonly call: Pick<Call, "id" | "body" | "query">;
	readonly focus?: Focus;
}

/** The id of something that is there, in lower or upper case, or now and then of nothing. */
export function idFor(
	dice: SeededRandom,
	known: { readonly id: string } | undefined,
): string {
	const id = known?.id ?? dice.uuid(0);
	return dice.weighted([
		[88, id],
		[6, id.toUpperCase()],
		[3, dice.uuid(0)],
		[3, dice.pick("nobody", id.slice(1), `${id}0`, "%00")],
	]);
}

/** Who is busy with which experience. */
export function busyGuests(
	state: State,
): { guest: Agent; experience: Experience }[] {
	return [...state.agents.values()].flatMap((guest) => {
		const stay = state.openStay(guest);
		const current = stay && state.currentCompletion(stay);
		const experience = current?.experience;
		return experience ? [{ guest, experience }] : [];
	});
}
