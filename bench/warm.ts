import type { Running } from "./process.ts";

const AT_ONCE = 64;

/**
 * Asks for the status of every agent once, so that what is measured then is a service that has been asked
 * before, as one is after its first minutes.
 * @param idsFile an id a line
 */
export async function warm(server: Running, idsFile: string): Promise<void> {
	const ids = (await Bun.file(idsFile).text()).split("\n").filter(Boolean);
	let next = 0;
	const ask = async () => {
		for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
			const response = await fetch(`${server.url}/api/agents/${id}/status`);
			await response.arrayBuffer();
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, ask));
}
