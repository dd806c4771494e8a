/** What a call throws; fails when it throws nothing. */
export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (error) {
		return error;
	}
	throw new Error("nothing was thrown");
}
