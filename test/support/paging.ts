/** Queries of a list whose paging is optional, and whether they fit. */
export const pagings: readonly { query: string; fits: boolean }[] = [
	{ query: "limit=0", fits: false },
	{ query: "limit=1", fits: true },
	{ query: "limit=100", fits: true },
	{ query: "limit=101", fits: false },
	{ query: "limit=", fits: false },
	{ query: "limit=0x10", fits: false },
	{ query: "limit=1e1", fits: false },
	{ query: "limit=+1", fits: false },
	{ query: "limit=1,2", fits: false },
	{ query: "limit=%zz", fits: false },
	{ query: "limit=0&limit=5", fits: true },
	{ query: "limit=0000000001", fits: true },
	{ query: "limit=00000000001", fits: false },
	{ query: "offset=-1", fits: false },
	{ query: "offset=0", fits: true },
	{ query: "offset=2147483647", fits: true },
	{ query: "offset=2147483648", fits: false },
	{ query: "offset=99999999999999999999", fits: false },
	{ query: "offset=", fits: false },
	{ query: "offset=1.0", fits: false },
	{ query: "limit=1&offset=1&page=-1", fits: true },
];

/** Which of five items, newest first as 5 to 1, a query shows. */
export const pages: readonly { query: string; shown: number[] }[] = [
	{ query: "", shown: [5, 4, 3, 2, 1] },
	{ query: "?limit=2", shown: [5, 4] },
	{ query: "?offset=3", shown: [2, 1] },
	{ query: "?limit=2&offset=1", shown: [4, 3] },
	{ query: "?limit=100&offset=4", shown: [1] },
	{ query: "?offset=5", shown: [] },
	{ query: "?limit=1&limit=3", shown: [5, 4, 3] },
	{ query: "?offset=1&offset=4", shown: [1] },
];
