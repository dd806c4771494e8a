import type { Operation } from "../resort/operation.ts";

/** A document as it is listed. */
interface ListedResource {
	readonly uri: string;
	readonly name: string;
	readonly description: string;
	readonly mimeType: string;
}

/** What a model may read before it does something, by the paths of the operations that give it. */
const paths: Readonly<Record<string, string>> = {
	guide: "/api/skill",
	assignments: "/api/assignments",
};

/** The documents of an instance. */
export class Resources {
	readonly listed: readonly ListedResource[];
	readonly #operations: ReadonlyMap<string, Operation>;

	/**
	 * @param operations those of the instance
	 * @param baseUrl the public address; a URI is where HTTP finds the same
	 */
	constructor(operations: readonly Operation[], baseUrl: string) {
		const found = Object.entries(paths).flatMap(([name, path]) => {
			const operation = operations.find((one) => one.path === path);
			return operation === undefined ? [] : [{ name, operation }];
		});
		this.listed = found.map(({ name, operation }) => ({
			uri: baseUrl + operation.path,
			name,
			description: operation.summary,
			mimeType: operation.mediaTypes?.[0] ?? "application/json",
		}));
		this.#operations = new Map(
			found.map(({ operation }) => [baseUrl + operation.path, operation]),
		);
	}

	/** The operation that gives a document. */
	find(uri: string): Operation | undefined {
		return this.#operations.get(uri);
	}
}
