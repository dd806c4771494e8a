import { DocumentReply, operation, tags } from "../../../core/resort/operation.ts";
import { tagged } from "../../../core/resort/operations.ts";
import { DocumentText } from "../../../core/resort/schemas.ts";
import { documentsOf } from "../../documents/documents.ts";
import { referencePage } from "./reference-page.ts";

/** The API reference. An instance without pages has it too. */
export const referenceOperations = tagged(tags.documents, [
	operation("GET /docs", {
		id: "getReference",
		summary: "The reference for people",
		description: "A page for browsers; the guide for agents that accept Markdown.",
		mediaTypes: ["text/html", "text/markdown"],
		byAccept: "text/html",
		credential: "none",
		answers: { 200: DocumentText },
		invalidatedBy: "nothing",
		run({ context }) {
			const { openapi, links } = documentsOf(context);
			const page = referencePage(openapi(), context.page === true);
			return new DocumentReply({ ...page, headers: { ...page.headers, link: links } });
		},
	}),
]);
