/** Node on the path, and other versions of it: `RESORT_TEST_NODES` lists their paths, separated by colons. */
export const nodes: readonly string[] = [
	"node",
	...(process.env.RESORT_TEST_NODES ?? "").split(":").filter((path) => path),
];
