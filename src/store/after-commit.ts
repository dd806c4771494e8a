/** Runs `run` after the commit of the event that a listener receives. SQLite commits in the same turn of the event loop. */
export function afterCommit(run: () => void): void {
	setImmediate(run);
}
