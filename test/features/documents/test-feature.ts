import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { once } from "../../../src/core/lib/once.ts";
import { createDocument, type OpenApiDocument } from "../../../src/features/documents/openapi.ts";
import { documentsPart } from "../../../src/features/documents/part.ts";
import type { TestResort } from "../../support/resort.ts";
import type { TestFeature } from "../../support/test-feature.ts";
import { requireDocumented } from "./conformance.ts";

/** OpenAPI documents by the ids of their operations: resorts with the same operations share a document. */
const known = new Map<string, () => OpenApiDocument>();

function documentOf({ operations, context: { provider } }: TestResort): OpenApiDocument {
	const key = operations.map(({ id }) => id).join();
	const document = known.get(key) ?? once(() => createDocument(operations, "http://resort.test", provider));
	known.set(key, document);
	return document();
}

/** Validates each answer against the OpenAPI document. */
export const documents: TestFeature = {
	part: ({ keepEventsMs = 7 * DAY_MS }) => documentsPart(keepEventsMs),
	check(resort, method, path, { status, headers, text }) {
		const contentType = headers.get("content-type") ?? "";
		requireDocumented(documentOf(resort), method, path, { status, contentType, text });
	},
};
