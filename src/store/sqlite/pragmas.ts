/** How SQLite is set for a resort, before anything is asked of it; the benchmark's servers are set in the same way. */
export const pragmas = [
	"trusted_schema = OFF",
	"busy_timeout = 5000",
	"journal_mode = WAL",
	"synchronous = FULL",
	"foreign_keys = ON",
	"secure_delete = ON",
	"temp_store = MEMORY",
	"mmap_size = 2147418112",
	"wal_autocheckpoint = 8000",
] as const;
