import { describe, expect, test } from "bun:test";
import { Body } from "../../src/pipeline/body.ts";
import { DrawnBody } from "../../src/pipeline/drawn-body.ts";

const MIB = 1024 * 1024;

/** A body of so many bytes of which one of 30 lines is drawn, in turns. */
function drawnBody(bytes: number): DrawnBody {
	let drawn = 0;
	const guests = "g".repeat(bytes);
	return new DrawnBody(Body.of(JSON.stringify({ guests, ambiance: "" })), {
		name: "ambiance",
		draw: () => `Line ${drawn++ % 30}`,
	});
}

async function ambianceOf(body: Body): Promise<string> {
	return JSON.parse(await new Response(body.plain).text()).ambiance;
}

describe("a body with a drawn field", () => {
	test.each([10, 100_000])(
		"of %d bytes is made once for each line",
		async (bytes) => {
			const drawn = drawnBody(bytes);
			const bodies = new Set(Array.from({ length: 300 }, () => drawn.next()));
			expect(bodies.size).toBe(30);
			const lines = new Set(await Promise.all([...bodies].map(ambianceOf)));
			expect(lines.size).toBe(30);
		},
	);

	test("that is large is not made for each request, and keeps to its bound", async () => {
		const drawn = drawnBody(1.5 * MIB);
		const bodies = new Set(Array.from({ length: 300 }, () => drawn.next()));
		expect(bodies.size).toBeWithin(2, 5);
		const bytes = [...bodies].reduce((sum, { size }) => sum + size, 0);
		expect(bytes).toBeLessThanOrEqual(drawn.size);
		const lines = await Promise.all([...bodies].map(ambianceOf));
		expect(new Set(lines).size).toBe(bodies.size);
	});

	test("that is larger than the bound is made once", () => {
		const drawn = drawnBody(20 * MIB);
		const bodies = new Set(Array.from({ length: 5 }, () => drawn.next()));
		expect(bodies.size).toBe(1);
	});

	test("has another validator for each line", () => {
		for (const bytes of [10, 2_000, 100_000]) {
			const drawn = drawnBody(bytes);
			const etags = Array.from({ length: 30 }, () =>
				drawn.next().etag("identity"),
			);
			expect(new Set(etags).size).toBe(30);
		}
	});
});
