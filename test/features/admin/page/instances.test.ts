import { describe, expect, test } from "bun:test";
import { endAllSessions } from "../../../../src/features/admin/page/tokens.ts";
import { describeOnPostgres } from "../../../support/requirements.ts";
import { useInstances } from "../../../support/use-resort.ts";
import { createCode, formsIn, HostBrowser } from "./host-browser.ts";

const setup = { adminPage: true, baseUrl: "https://resort.example" };

describe("two instances with the host's page (/admin)", () => {
	const [one, two] = useInstances(setup);

	test("share sign-in codes, sessions and confirmations of changes", async () => {
		const { id } = await one.guest({ name: "Ada" });
		const host = new HostBrowser(two);
		const code = await createCode(one);
		expect((await host.send("/enter", { code })).status).toBe(303);
		expect((await new HostBrowser(one).send("/enter", { code })).status).toBe(401);
		const question = await host.send("/change", { change: "check-out", id });
		const [form = {}] = formsIn(question.text);
		host.resort = one;
		expect((await host.send("/change", form)).status).toBe(200);
		host.resort = two;
		expect((await host.send("/change", form)).status).toBe(400);
		await host.send("/leave", {});
		const { cookie } = await new HostBrowser(two).signIn();
		host.resort = one;
		host.cookie = cookie;
		expect((await host.open("/agents")).status).toBe(200);
		await two.context.store.write(() => endAllSessions(two.context));
		expect((await host.open("/agents")).status).toBe(401);
	});

	test("accept a sign-in code only once, even if both receive it at the same time", async () => {
		const code = await createCode(one);
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, at) =>
				new HostBrowser(at % 2 === 0 ? one : two).send("/enter", { code }),
			),
		);
		expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
	});
});

describeOnPostgres("two instances with the host's page (/admin)", () => {
	const [one, two] = useInstances(setup);

	test("count wrong sign-in codes together", async () => {
		const statuses: number[] = [];
		for (let sent = 0; sent < 11; sent++) {
			const { status } = await new HostBrowser(sent % 2 === 0 ? one : two).send("/enter", { code: "0" });
			statuses.push(status);
		}
		expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
	});
});
