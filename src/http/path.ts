import { Elysia } from "elysia";

/**
 * Gives a path parameter with broken escapes (`%zz`), which the router hands over as null, the shape of an
 * id that nothing has: it is then judged like every other unknown id (decisions 8, "Order").
 */
export const pathParameters = new Elysia({ name: "path" }).onTransform(
	{ as: "global" },
	({ params }) => {
		for (const name in params) params[name] ??= "";
	},
);
