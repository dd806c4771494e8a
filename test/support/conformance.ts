import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "../../src/guide/openapi.ts";

/** What of an answer the document speaks of. */
interface Answer {
	readonly status: number;
	readonly contentType: string;
	readonly text: string;
}

const validators = new Map<string, ValidateFunction>();

/**
 * Holds an answer against the OpenAPI document.
 * @throws Error when the document has not its status or its media type, or its body does not fit
 */
export function requireDocumented(
	document: OpenApiDocument,
	method: string,
	path: string,
	{ status, contentType, text }: Answer,
): void {
	const template = findTemplate(document, method, path);
	if (template === undefined) return;
	const pointer = `paths/${escapePointer(template)}/${method.toLowerCase()}`;
	const operation = document.paths[template]?.[method.toLowerCase()];
	const response = operation?.responses[status];
	const what = `${method} ${path}: ${status} ${text.slice(0, 500)}`;
	if (response === undefined) throw new Error(`not in the document: ${what}`);
	if (status === 304) return;
	const mediaType = contentType.split(";")[0] ?? "";
	if (response.content?.[mediaType] === undefined) {
		throw new Error(`not in the document: ${mediaType} of ${what}`);
	}
	if (mediaType !== "application/json") return;
	const validate = validatorOf(
		document,
		`${pointer}/responses/${status}/content/${escapePointer(mediaType)}/schema`,
	);
	const body: unknown = JSON.parse(text);
	if (validate(body)) return;
	throw new Error(
		`does not fit the document: ${JSON.stringify(validate.errors)} ${what}`,
	);
}

/** The path of the document that a request's path is meant by; a fixed segment wins over a parameter. */
function findTemplate(
	{ paths }: OpenApiDocument,
	method: string,
	path: string,
): string | undefined {
	const given = (path.split("?")[0] ?? "").split("/");
	return Object.keys(paths)
		.filter((template) => method.toLowerCase() in (paths[template] ?? {}))
		.sort((a, b) => a.split("{").length - b.split("{").length)
		.find((template) => {
			const segments = template.split("/");
			return (
				segments.length === given.length &&
				segments.every(
					(segment, at) => segment.startsWith("{") || segment === given[at],
				)
			);
		});
}

function validatorOf(
	document: OpenApiDocument,
	pointer: string,
): ValidateFunction {
	let validate = validators.get(pointer);
	if (validate === undefined) {
		const ajv = new Ajv2020({ strict: false, allErrors: true });
		addFormats.default(ajv);
		ajv.addSchema({ ...document, $id: "resort" });
		validate = ajv.compile({ $ref: `resort#/${pointer}` });
		validators.set(pointer, validate);
	}
	return validate;
}

function escapePointer(name: string): string {
	return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
