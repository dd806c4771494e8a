/** JSON Feed 1.1 as a schema, written from https://www.jsonfeed.org/version/1.1/. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const text = { type: "string" };
const url = { type: "string", format: "uri" };
const moment = { type: "string", format: "date-time" };

/** Names that the specification does not know are extensions, and those begin with `_` and a letter. */
const object = (required: readonly string[], properties: object) => ({
	type: "object",
	required,
	properties,
	patternProperties: { "^_[A-Za-z][^.]*$": { type: "object" } },
	additionalProperties: false,
});

const author = {
	...object([], { name: text, url, avatar: url }),
	// "All three are optional, but if the author object is provided at all, then at least one must be present."
	anyOf: ["name", "url", "avatar"].map((name) => ({ required: [name] })),
};
const authors = { type: "array", items: author };

const attachment = object(["url", "mime_type"], {
	url,
	mime_type: text,
	title: text,
	size_in_bytes: { type: "number" },
	duration_in_seconds: { type: "number" },
});

const item = {
	...object(["id"], {
		id: { type: "string", minLength: 1 },
		url,
		external_url: url,
		title: text,
		content_html: text,
		content_text: text,
		summary: text,
		image: url,
		banner_image: url,
		date_published: moment,
		date_modified: moment,
		author,
		authors,
		tags: { type: "array", items: text },
		language: text,
		attachments: { type: "array", items: attachment },
	}),
	anyOf: ["content_html", "content_text"].map((name) => ({ required: [name] })),
};

const feed = object(["version", "title", "items"], {
	version: { const: "https://jsonfeed.org/version/1.1" },
	title: text,
	home_page_url: url,
	feed_url: url,
	description: text,
	user_comment: text,
	next_url: url,
	icon: url,
	favicon: url,
	author,
	authors,
	language: text,
	expired: { type: "boolean" },
	hubs: {
		type: "array",
		items: object(["type", "url"], { type: text, url }),
	},
	items: { type: "array", items: item },
});

const ajv = new Ajv2020({ allErrors: true, strictRequired: false });
addFormats.default(ajv);
const validate = ajv.compile(feed);

/** What in a value breaks JSON Feed 1.1, by its place; ids must differ, too. */
export function jsonFeedFaults(value: unknown): string[] {
	if (!validate(value)) {
		return (validate.errors ?? []).map(
			({ instancePath, message }) => `${instancePath} ${message}`,
		);
	}
	const { items } = value as { items: readonly { readonly id: string }[] };
	const ids = items.map(({ id }) => id);
	return ids
		.filter((id, at) => ids.indexOf(id) !== at)
		.map((id) => `${id} twice`);
}
