import { expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { useAgent, useCommunity } from "../../support/use-resort.ts";

const resort = useCommunity();
const ada = useAgent(resort);

test("a refused check-out suggests no check-in to an agent that repeats it, and no last stay to a new one", async () => {
	const checkOut = () => resort.ask("POST", "/api/checkout", ada);
	const never = await checkOut();
	expectRefusal(never, 400, "Not checked in");
	expect(never.body.hint).not.toContain("last");
	await resort.checkIn(ada);
	await resort.checkOut(ada);
	const again = await checkOut();
	expectRefusal(again, 400, "Not checked in");
	expect(again.body.hint).not.toContain("/api/checkin");
});
