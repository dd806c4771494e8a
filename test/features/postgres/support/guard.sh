#!/bin/sh
# guard.sh FOLDER: waits until stdin ends, which also happens if the program that started this script is killed. Then
# stops the PostgreSQL servers whose data is in FOLDER/*, and removes FOLDER. Writes nothing to
# the disk, which may be full.
trap '' INT TERM HUP
folder=$1
# The time in tenths of a second that a server has to end. PostgreSQL itself kills its children after 5 s.
patience=100

echo ready
read -r _

for pid_file in "$folder"/*/postmaster.pid; do
	[ -e "$pid_file" ] || continue
	data=${pid_file%/postmaster.pid}
	read -r pid <"$pid_file"
	# A killed server leaves this file, so another program may now have the process id.
	if grep -qsF "$data" "/proc/$pid/cmdline"; then
		kill -QUIT "$pid"
		kill -CONT "$pid"
		while [ -e "$pid_file" ] && [ "$patience" -gt 0 ]; do
			sleep 0.1
			patience=$((patience - 1))
		done
		[ -e "$pid_file" ] && kill -KILL "$pid"
	fi
	# A killed server leaves its shared memory. The seventh line of the file has the key and the id of that memory.
	[ -e "$pid_file" ] && ipcrm -m "$(awk 'NR == 7 { print $2 }' "$pid_file")" 2>/dev/null
done

umount -l "$folder"/* 2>/dev/null
rm -rf "$folder"
