/**
 * Runs something once the change of which a listener hears just now has been committed. On SQLite news is told before
 * the commit, which is a part of the same turn.
 */
export function afterCommit(run: () => void): void {
	setImmediate(run);
}
