import { Type } from "@sinclair/typebox";
import { Answer, Choice, Next } from "../schemas.ts";

/** The guide that GET /api/skill returns. */
export const SkillQuery = Type.Object({
	format: Type.Optional(Type.Literal("quickstart")),
});

/** A document as text, whatever its content. */
export const DocumentText = Type.String();

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

/** The answer of GET /api/assignments. */
export const AssignmentsAnswer = Answer({
	guidance: Type.String(),
	rules: Type.Array(Type.String()),
	assignments: Type.Array(Assignment),
});

/** The answer of GET /, the entry for programs. */
export const WelcomeAnswer = Answer({
	service: Type.String(),
	version: Type.String(),
	message: Type.String(),
	start: Next,
	documents: Type.Record(Type.String(), Type.String()),
});
