/**
 * The maximum time that a test waits for a condition. It is much longer than any test needs, even on a busy
 * machine.
 */
const PATIENCE_MS = 30_000;

/** Waits until a condition is true. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
	const endMs = Date.now() + PATIENCE_MS;
	while (!(await isSo())) {
		if (Date.now() > endMs) throw new Error(`never so: ${isSo}`);
		await Bun.sleep(5);
	}
}
