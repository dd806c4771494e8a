import { Type } from "@sinclair/typebox";
import { assignments, guidance, rules } from "../../../content/assignments.ts";
import { operation } from "../operation.ts";
import { Answer, Choice } from "../schemas.ts";

const Assignment = Type.Object(
	{
		id: Type.String(),
		artifact: Choice("postcard", "experience", "review"),
		title: Type.String(),
		brief: Type.String(),
		endpoint: Type.String(),
	},
	{ title: "Assignment" },
);

/** The operation that lists rules for public texts, and prompts (assignments) to start from. */
export const assignmentOperations = [
	operation("GET /api/assignments", {
		id: "listAssignments",
		summary: "What to know before you create something public",
		description: "Rules, and prompts to start from.",
		credential: "none",
		answers: {
			200: Answer({
				guidance: Type.String(),
				rules: Type.Array(Type.String()),
				assignments: Type.Array(Assignment),
			}),
		},
		invalidatedBy: "nothing",
		run: () => ({ guidance, rules, assignments }),
	}),
];
