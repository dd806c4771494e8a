import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "../../src/guide/openapi.ts";

interface Answer {
	readonly status: number;
	readonly contentType: string;
	readonly text: string;
}

interface Validator {
	readonly validate: ValidateFunction;
	/** The body that fitted last, which fits again: many answers are alike. */
	fitted: string | null;
}

interface Prepared {
	readonly ajv: Ajv2020;
	/** By what the document says of the body. */
	readonly validators: Map<object, Validator>;
	/** Paths and their segments by method; a fixed segment comes before a parameter. */
	readonly paths: Map<string, (readonly [path: string, string[]])[]>;
}

const prepared = new WeakMap<OpenApiDocument, Prepared>();

/** Holds an answer against the OpenAPI document. Returns whether the document has an operation for the request. */
export function requireDocumented(
	document: OpenApiDocument,
	method: string,
	path: string,
	{ status, contentType, text }: Answer,
): boolean {
	const template = findTemplate(prepare(document), method, path);
	if (template === undefined) return false;
	const operation = document.paths[template]?.[method.toLowerCase()];
	const response = operation?.responses[status];
	const what = () => `${method} ${path}: ${status} ${text.slice(0, 500)}`;
	if (response === undefined) throw new Error(`not in the document: ${what()}`);
	if (status === 304) return true;
	const mediaType = contentType.split(";")[0] ?? "";
	const content = response.content?.[mediaType];
	if (content === undefined) {
		throw new Error(`not in the document: ${mediaType} of ${what()}`);
	}
	if (mediaType !== "application/json") return true;
	const validator = validatorOf(prepare(document), content, () => [
		...["paths", template, method.toLowerCase()],
		...["responses", String(status), "content", mediaType, "schema"],
	]);
	if (text === validator.fitted) return true;
	const { validate } = validator;
	if (validate(JSON.parse(text))) {
		validator.fitted = text;
		return true;
	}
	throw new Error(
		`does not fit the document: ${JSON.stringify(validate.errors)} ${what()}`,
	);
}

function prepare(document: OpenApiDocument): Prepared {
	const known = prepared.get(document);
	if (known !== undefined) return known;
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	addFormats.default(ajv);
	ajv.addSchema({ ...document, $id: "resort" });
	const paths: Prepared["paths"] = new Map();
	const fixedFirst = Object.keys(document.paths).sort(
		(a, b) => a.split("{").length - b.split("{").length,
	);
	for (const path of fixedFirst) {
		for (const method in document.paths[path]) {
			const others = paths.get(method) ?? [];
			paths.set(method, [...others, [path, path.split("/")]]);
		}
	}
	const made = { ajv, validators: new Map(), paths };
	prepared.set(document, made);
	return made;
}

/** The template in the document that fits a request's path. */
function findTemplate(
	{ paths }: Prepared,
	method: string,
	path: string,
): string | undefined {
	const given = (path.split("?")[0] ?? "").split("/");
	const [template] =
		paths
			.get(method.toLowerCase())
			?.find(
				([, segments]) =>
					segments.length === given.length &&
					segments.every(
						(segment, at) => segment.startsWith("{") || segment === given[at],
					),
			) ?? [];
	return template;
}

function validatorOf(
	{ ajv, validators }: Prepared,
	content: object,
	path: () => readonly string[],
): Validator {
	let validator = validators.get(content);
	if (validator === undefined) {
		const pointer = path().map(escapePointer).join("/");
		const validate = ajv.compile({ $ref: `resort#/${pointer}` });
		validator = { validate, fitted: null };
		validators.set(content, validator);
	}
	return validator;
}

function escapePointer(name: string): string {
	return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
