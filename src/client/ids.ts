const AGENT =
	"id of an agent, a UUID: `profile` tells your own, `lobby` those of guests";

/** What the id in a path is of, and what tells it; by the word before it. */
const SOURCES: Readonly<Record<string, string>> = {
	agents: AGENT,
	activities:
		"id of an activity, such as tidepool-float: `activities` tells it",
	experiences:
		"id of an experience, which begins with exp-: `experiences` tells it",
	webhooks: "id of a webhook: `call listWebhooks` tells it",
	deliveries: "id of a delivery: `call listDeliveries` tells it",
};

/**
 * What an id in a path is, for the help.
 * @param path a template
 * @param name of the parameter
 */
export function idIn(path: string, name: string): string {
	const parts = path.split("/");
	return SOURCES[parts[parts.indexOf(`:${name}`) - 1] ?? ""] ?? "id";
}

/** What the ids of several operations are, a line each; the same ones once. */
export function idsOf(routes: readonly string[]): string[] {
	const told = routes.flatMap((route) =>
		[...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => idIn(route, name)),
	);
	// Where no path has an id, agents are asked for.
	return told.length === 0 ? [AGENT] : [...new Set(told)];
}
