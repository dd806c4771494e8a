import { Type } from "@sinclair/typebox";
import { Choice } from "../schemas.ts";

/** A document as text, whatever its content. */
export const DocumentText = Type.String();

/** A prompt to start from. */
export const Assignment = Type.Object(
	{
		id: Type.String(),
		artifact: Choice("postcard", "experience", "review"),
		title: Type.String(),
		brief: Type.String(),
		endpoint: Type.String(),
	},
	{ title: "Assignment" },
);
