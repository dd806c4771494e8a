#!/bin/sh
# Installs the executable resort of a release: finds the platform, checks the SHA-256 sum, and replaces an installed
# version only when the new one is complete.
#
#   curl -fsSL https://github.com/OWNER/agent-resort/releases/latest/download/install.sh | sh
#
# RESORT_VERSION   the version to install, such as 1.0.0 (default: the latest release)
# RESORT_BIN       the folder to install to (default: ~/.local/bin)
# RESORT_RELEASES  the URL of the releases, for a mirror
set -eu

releases=${RESORT_RELEASES:-https://github.com/OWNER/agent-resort/releases}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

# Prints the platform as the names of the executables contain it.
platform() {
	machine=$(uname -m)
	case $machine in
	x86_64 | amd64) machine=x64 ;;
	aarch64 | arm64) machine=arm64 ;;
	*) fail "there is no executable for the processor $machine; build it from the sources" ;;
	esac
	system=$(uname -s)
	case $system in
	Linux)
		if ldd --version 2>&1 | grep -qi musl; then
			echo "linux-$machine-musl"
		elif [ "$machine" = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then
			echo "linux-x64-baseline"
		else
			echo "linux-$machine"
		fi
		;;
	Darwin)
		# A shell that Rosetta translates sees an Intel processor.
		[ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" != 1 ] || machine=arm64
		echo "darwin-$machine"
		;;
	MINGW* | MSYS* | CYGWIN*)
		[ "$machine" = x64 ] || fail "there is no executable for Windows on $machine"
		echo "windows-x64.exe"
		;;
	*) fail "there is no executable for $system; build it from the sources" ;;
	esac
}

# Downloads a URL to a file. A failed transfer never leaves a file that looks complete, as its sum is checked.
download() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL --retry 2 -o "$2" "$1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1"
	else
		fail "curl or wget is required"
	fi || fail "cannot download $1"
}

# Prints the SHA-256 sum of a file; macOS has shasum only.
sha256() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d " " -f 1
}

main() {
	platform=$(platform)
	case $platform in *.exe) program=resort.exe ;; *) program=resort ;; esac
	if [ -n "${RESORT_VERSION:-}" ]; then
		from=$releases/download/v${RESORT_VERSION#v}
	else
		from=$releases/latest/download
	fi

	folder=${RESORT_BIN:-${HOME:+$HOME/.local/bin}}
	[ -n "$folder" ] || fail "HOME is not set; choose a folder with RESORT_BIN"
	mkdir -p "$folder" 2>/dev/null || fail "cannot create the folder $folder; choose another one with RESORT_BIN"
	# In the same file system as the target, so that the last step is a rename.
	work=$(mktemp -d "$folder/.resort-XXXXXX" 2>/dev/null) ||
		fail "cannot write to the folder $folder; choose another one with RESORT_BIN"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM

	download "$from/SHA256SUMS" "$work/SHA256SUMS"
	line=$(grep "  resort-[0-9][0-9A-Za-z.+-]*-$platform\$" "$work/SHA256SUMS" | head -n 1)
	name=${line#*  }
	[ -n "$name" ] || fail "the release has no executable for $platform"
	download "$from/$name" "$work/$program"
	[ "$(sha256 "$work/$program")" = "${line%% *}" ] ||
		fail "$name does not match its checksum: the download is incomplete or was changed; nothing was installed"
	chmod 755 "$work/$program"
	version=$("$work/$program" --version) || fail "$name does not run on this machine; nothing was installed"
	mv -f "$work/$program" "$folder/$program" || fail "cannot replace $folder/$program"

	echo "Installed resort $version to $folder/$program"
	case :$PATH: in
	*":$folder:"*) ;;
	*) echo "Add $folder to your PATH to run it as resort." ;;
	esac
}

# Called in the last line, so that a script of which only a part arrived does nothing.
main
