import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "../../../src/features/documents/openapi.ts";

interface Answer {
	readonly status: number;
	readonly contentType: string;
	readonly text: string;
}

/** The compiled schemas and the paths of a document. Paths without parameters come first. */
interface Prepared {
	readonly ajv: Ajv2020;
	readonly paths: readonly (readonly [path: string, pattern: RegExp])[];
}

const prepared = new WeakMap<OpenApiDocument, Prepared>();

/**
 * Requires that an answer matches the OpenAPI document. Returns whether the document has an operation for the
 * request.
 */
export function requireDocumented(
	document: OpenApiDocument,
	method: string,
	path: string,
	{ status, contentType, text }: Answer,
): boolean {
	const { ajv, paths } = prepared.get(document) ?? prepare(document);
	const verb = method.toLowerCase();
	const [target = ""] = path.split("?");
	const [template = ""] =
		paths.find(([name, pattern]) => pattern.test(target) && document.paths[name]?.[verb] !== undefined) ?? [];
	const operation = document.paths[template]?.[verb];
	if (operation === undefined) return false;
	const what = () => `${method} ${path}: ${status} ${text.slice(0, 500)}`;
	const response = operation.responses[status];
	const [mediaType = ""] = contentType.split(";");
	if (response === undefined || (status !== 304 && response.content?.[mediaType] === undefined)) {
		throw new Error(`not in the document: ${mediaType} of ${what()}`);
	}
	if (status === 304 || mediaType !== "application/json") return true;
	const names = ["paths", template, verb, "responses", String(status), "content", mediaType, "schema"];
	const pointer = names.map((name) => encodeURIComponent(name.replaceAll("/", "~1"))).join("/");
	// Most responses refer to one schema of errors, which is compiled once.
	const { $ref = `#/${pointer}` } = response.content?.[mediaType]?.schema ?? {};
	const validate = ajv.getSchema(`resort${$ref}`);
	if (validate?.(JSON.parse(text)) !== true) {
		throw new Error(`does not fit the document: ${JSON.stringify(validate?.errors)} ${what()}`);
	}
	return true;
}

/** Returns a validator that compiles hundreds of schemas fast: it repeats and optimizes none of them. */
export function createAjv(options: Options = {}): Ajv2020 {
	const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false }, ...options });
	return addFormats.default(ajv);
}

function prepare(document: OpenApiDocument): Prepared {
	const ajv = createAjv({ allErrors: true });
	ajv.addSchema({ ...document, $id: "resort" });
	const paths = Object.keys(document.paths)
		.sort((a, b) => a.split("{").length - b.split("{").length)
		.map((path) => {
			const segments = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]*");
			return [path, new RegExp(`^${segments}$`)] as const;
		});
	prepared.set(document, { ajv, paths });
	return { ajv, paths };
}
