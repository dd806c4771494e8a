import { afterAll, beforeAll } from "bun:test";
import { type Ended, type Place, type Serving, serve } from "./executable.ts";
import { useTemporaryFolder } from "./folder.ts";

/** Serves for the tests of the file, and stops after the last one. */
export function useServing(
	args: readonly string[],
	place: Place = { cwd: useTemporaryFolder().path },
	check?: (ended: Ended) => void | Promise<void>,
): Serving {
	const serving = {} as Serving;
	beforeAll(async () => {
		Object.assign(serving, await serve(args, place));
	});
	afterAll(async () => {
		const ended = await serving.stop();
		await check?.(ended);
	});
	return serving;
}
