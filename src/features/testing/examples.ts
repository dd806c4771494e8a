import fixtures from "../../../examples/fixtures.json";
import workflow from "../../../examples/github-actions.yml" with { type: "text" };

/** Example files for tests. */
export const examples = {
	"fixtures.json": fixtures,
	"github-actions.yml": workflow,
	"resort_testing.py": async () => (await import("./testing-python.ts")).testingPython,
};
