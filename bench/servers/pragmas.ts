/** The settings of the resort's own connection (src/database/connection.ts), for every server beside it. */
export const pragmas = [
	"busy_timeout = 5000",
	"journal_mode = WAL",
	"synchronous = FULL",
	"foreign_keys = ON",
	"temp_store = MEMORY",
	"mmap_size = 2147418112",
	"wal_autocheckpoint = 8000",
];
