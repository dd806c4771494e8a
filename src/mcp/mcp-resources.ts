import type { Operation } from "../resort/operation.ts";

/** A document for models, as MCP lists it. */
export interface McpResource {
	/** The URL of the same document over HTTP. */
	readonly uri: string;
	readonly name: string;
	readonly description: string;
	readonly mimeType: string;
}

const paths: Readonly<Record<string, string>> = {
	guide: "/api/skill",
	assignments: "/api/assignments",
};

/** Returns the resources of an instance, each with the operation that returns it. */
export function resourcesOf(
	operations: readonly Operation[],
	baseUrl: string,
): ReadonlyMap<McpResource, Operation> {
	const resources = new Map<McpResource, Operation>();
	for (const [name, path] of Object.entries(paths)) {
		const operation = operations.find((one) => one.path === path);
		if (operation === undefined) continue;
		const { summary: description, mediaTypes = [] } = operation;
		const [mimeType = "application/json"] = mediaTypes;
		resources.set(
			{ uri: baseUrl + path, name, description, mimeType },
			operation,
		);
	}
	return resources;
}
