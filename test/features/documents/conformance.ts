import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
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
const validators = new WeakMap<object, ValidateFunction>();

/** The last valid body of each operation. An equal body is not validated again. */
const fitted = new WeakMap<object, string>();

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
	const { ajv, paths } = prepare(document);
	const verb = method.toLowerCase();
	const [target = ""] = path.split("?");
	const [template = ""] =
		paths.find(([name, pattern]) => pattern.test(target) && document.paths[name]?.[verb] !== undefined) ?? [];
	const operation = document.paths[template]?.[verb];
	if (operation === undefined) return false;
	const response = operation.responses[status];
	const what = () => `${method} ${path}: ${status} ${text.slice(0, 500)}`;
	if (response === undefined) throw new Error(`not in the document: ${what()}`);
	if (status === 304) return true;
	const mediaType = contentType.split(";")[0] ?? "";
	const content = response.content?.[mediaType];
	if (content === undefined) {
		throw new Error(`not in the document: ${mediaType} of ${what()}`);
	}
	if (mediaType !== "application/json" || text === fitted.get(content)) {
		return true;
	}
	const names = ["paths", template, verb, "responses", String(status), "content", mediaType, "schema"];
	const pointer = names.map(escapePointer).join("/");
	const validate = validators.get(content) ?? ajv.compile({ $ref: `resort#/${pointer}` });
	validators.set(content, validate);
	if (!validate(JSON.parse(text))) {
		throw new Error(`does not fit the document: ${JSON.stringify(validate.errors)} ${what()}`);
	}
	fitted.set(content, text);
	return true;
}

function prepare(document: OpenApiDocument): Prepared {
	const known = prepared.get(document);
	if (known !== undefined) return known;
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	addFormats.default(ajv);
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

function escapePointer(name: string): string {
	return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
