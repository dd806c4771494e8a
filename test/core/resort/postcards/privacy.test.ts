import { beforeEach, describe, expect, test } from "bun:test";
import type { CallOptions } from "../../../support/calls.ts";
import { routes } from "../../../support/operations.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";

/** Texts that appear nowhere else in the resort. */
const secrets = ["quietus-7312", "umbrage-5521", "oubliette-9047"] as const;
const [message, mood, location] = secrets;

const reading = routes.filter((route) => route.startsWith("GET ")).map((route) => route.slice("GET ".length));

describe("a private postcard", () => {
	const context = useResort();
	const sender = useGuest(context, { name: "Grace" });
	const recipient = useGuest(context);
	const other = useGuest(context);
	let ids: string[];
	let readers: [name: string, ask: CallOptions][];

	beforeEach(async () => {
		const { id } = await context.rated(sender, [5, 4, 4]);
		await context.complete(other, id);
		await context.sendPostcard(sender, { message: "For everybody" });
		const recipientId = recipient.id;
		const secret = { message, mood, location, recipientId };
		const postcard = await context.sendPostcard(sender, secret);
		const { stay } = (await context.call("GET", "/api/stays/current", sender)).body;
		ids = [sender, recipient, other, { id }, postcard, stay].map(({ id }) => id);
		ids.push("tidepool-float");
		readers = [
			["nobody", {}],
			["other", { session: await context.login(other.key) }],
			["sender", { key: sender.key }],
			["recipient", { key: recipient.key }],
		];
	});

	/** Returns the paths of all GET routes, with every id, and with parameters that select much. */
	const paths = () =>
		reading.flatMap((route) => {
			const filled = route.includes(":id") ? ids.map((id) => route.replaceAll(":id", id)) : [route];
			return filled.flatMap((path) => [path, `${path}?since=0`, `${path}?ids=${ids.join(",")}`]);
		});

	/** Returns the readers and paths whose response contains a secret. */
	const leaks = async () => {
		const found = new Set<string>();
		for (const [reader, ask] of readers) {
			for (const path of paths()) {
				const { status, text, headers } = await context.call("GET", path, ask);
				expect(status, `${path} ${text}`).toBeLessThan(500);
				const answer = `${text} ${JSON.stringify(headers.toJSON())}`;
				if (secrets.some((secret) => answer.includes(secret))) {
					found.add(`${reader} ${path.replace(/\?.*/, "")}`);
				}
			}
		}
		return [...found];
	};

	test("appears only in the sender's list of sent postcards, and in the recipient's inbox and events", async () => {
		expect(await leaks()).toEqual([
			"sender /api/postcards/mine",
			"recipient /api/postcards/inbox",
			"recipient /api/me/events",
		]);
	});

	test("is shown only to the recipient after the sender is deactivated, and to nobody after both are deactivated", async () => {
		await context.deactivate(sender);
		expect(await leaks()).toEqual(["recipient /api/postcards/inbox", "recipient /api/me/events"]);
		await context.deactivate(recipient);
		expect(await leaks()).toEqual([]);
	});
});
