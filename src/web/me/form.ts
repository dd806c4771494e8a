import { readText } from "../../http/request-body.ts";
import { ResortError } from "../../lib/resort-error.ts";

/** The fields of a form, by name; of repeated ones the last. */
export type Form = Readonly<Record<string, string>>;

const FORM = "application/x-www-form-urlencoded";

/**
 * Reads the form that a request carries; one without a body is empty.
 * @throws ResortError `invalid` for another type of body, `too_large`
 */
export async function readForm(request: Request): Promise<Form> {
	const { body, headers } = request;
	const text = body === null ? "" : await readText(request, body);
	if (text instanceof ResortError) {
		throw text.code === "too_large"
			? text
			: new ResortError("invalid", "The form did not arrive whole");
	}
	if (text === "") return {};
	const [type = ""] = (headers.get("content-type") ?? "").split(";");
	if (type.trim().toLowerCase() !== FORM) {
		throw new ResortError("invalid", `A form is sent as ${FORM}`, {
			hint: "Programs call the API, which takes JSON: see /docs.",
		});
	}
	return Object.fromEntries(new URLSearchParams(text));
}
