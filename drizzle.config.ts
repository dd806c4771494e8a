import { defineConfig } from "drizzle-kit";

export default defineConfig({
	dialect: "sqlite",
	schema: "./src/database/tables.ts",
	out: "./migrations",
	casing: "snake_case",
});
