import { readText } from "../../core/http/read-call.ts";
import type { Transport } from "../../core/http/send-response.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Reads the fields of a form. A request without a body has no fields.
 * @throws ResortError `invalid` if the body is incomplete, not UTF-8 or not of the type {@link FORM_TYPE};
 * `too_large`; `unsupported`; `unavailable` if too many bytes are being received
 */
export async function readForm(
	request: Request,
	transport: Transport,
): Promise<Readonly<Record<string, string>>> {
	const text = await readText(request, transport);
	if (text instanceof ResortError) throw text;
	if (text === "") return {};
	const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
	if (type.trim().toLowerCase() !== FORM_TYPE) {
		throw invalid(`A form must be sent as ${FORM_TYPE}`, {
			hint: "Programs use the API, which accepts JSON: see /docs.",
		});
	}
	return Object.fromEntries(new URLSearchParams(text));
}
