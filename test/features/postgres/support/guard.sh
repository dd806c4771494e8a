#!/bin/sh
# guard.sh FOLDER: once its own stdin ends, which is also when the program that started it is killed, stops the
# PostgreSQL servers whose data is in FOLDER/*, and removes FOLDER. Nothing is written to the disk for that.
trap '' INT TERM HUP
folder=$1
# In tenths of a second; PostgreSQL itself kills its children after 5 s.
patience=100

echo ready
read -r _

for pid_file in "$folder"/*/postmaster.pid; do
	[ -e "$pid_file" ] || continue
	data=${pid_file%/postmaster.pid}
	read -r pid <"$pid_file"
	# A killed server leaves the file: another program may have its id by now.
	if grep -qsF "$data" "/proc/$pid/cmdline"; then
		kill -QUIT "$pid"
		kill -CONT "$pid"
		while [ -e "$pid_file" ] && [ "$patience" -gt 0 ]; do
			sleep 0.1
			patience=$((patience - 1))
		done
		[ -e "$pid_file" ] && kill -KILL "$pid"
	fi
	# Only a server that ends by itself removes its shared memory. The seventh line has its key and its id.
	[ -e "$pid_file" ] && ipcrm -m "$(awk 'NR == 7 { print $2 }' "$pid_file")" 2>/dev/null
done

umount -l "$folder"/* 2>/dev/null
rm -rf "$folder"
