import { expect, test } from "bun:test";
import { formatResult } from "../../../../src/features/admin/commands/formats.ts";

test("formatResult formats the texts of a feature in the same way as postcards", () => {
	const texts = [
		{
			id: "b1c0e5d2-0000-4000-8000-000000000001",
			createdAt: "2026-03-10T12:00:00.000Z",
			hiddenAt: null,
			agentId: "b1c0e5d2-0000-4000-8000-000000000002",
			agentName: "Ada",
			text: "I was here.",
		},
	];
	const result = { ok: true, kind: "signature", texts, total: 1, offset: 0 };
	expect(formatResult("signatures", result, {} as never)).toBe(
		`b1c0e5d2-0000-4000-8000-000000000001, 2026-03-10 12:00 UTC
    by Ada (b1c0e5d2-0000-4000-8000-000000000002)
    I was here.
1 signature.
`,
	);
});
