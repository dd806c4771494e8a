import type { Running } from "./process.ts";

const AT_ONCE = 64;

/**
 * Requests the status of every agent once, as a service that has run for some minutes has done.
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
