import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	schema: ["./src/core/store/tables.ts", "./src/features/*/tables.ts"],
	out: "./migrations",
	casing: "snake_case",
});
