import { expect, test } from "bun:test";
import { expectRefusal } from "../../../support/answers.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

test("the hint of a refused check-out does not suggest to check in", async () => {
	const checkOut = () => resort.call("POST", "/api/checkout", ada);
	const never = await checkOut();
	expectRefusal(never, 400, "Not checked in");
	expect(never.body.hint).not.toContain("last");
	await resort.checkIn(ada);
	await resort.checkOut(ada);
	const again = await checkOut();
	expectRefusal(again, 400, "Not checked in");
	expect(again.body.hint).not.toContain("/api/checkin");
});

test.each([
	[0, 0, "0 activities,"],
	[1, 0, "1 activity,"],
	[0, 1, "1 activity (1 of them an experience),"],
	[1, 2, "3 activities (2 of them experiences),"],
])(
	"the message of a check-out counts %d activities and %d experiences",
	async (activities, experiences, words) => {
		await resort.checkIn(ada);
		const { id } = await resort.create(ada);
		for (let count = 0; count < activities; count++) {
			await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
		}
		for (let count = 0; count < experiences; count++) {
			await resort.complete(ada, id);
		}
		expect((await resort.checkOut(ada)).message).toContain(words);
	},
);
