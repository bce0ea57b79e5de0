#!/bin/sh
# SPDX-License-Identifier: MIT
# tools.sh MAKE - `make install`, `install-shared` and `uninstall` use only what every system's tools have. With
# busybox alone, and an install that knows -d and -m but not GNU's -D, they install the same files at the same places,
# with the same modes whatever the umask is, and remove them again.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2086 # make may be several words
set -- $1
make=$(command -v "$1")
shift
mkdir "$dir/bin"
for tool in $(busybox --list); do ln -s "$(command -v busybox)" "$dir/bin/$tool"; done
rm -f "$dir/bin/install" # a link to busybox, where busybox has an install
cat >"$dir/bin/install" <<'END'
#!/bin/sh
case $#,$1 in
2,-d) umask 022; exec mkdir -p "$2" ;;
4,-m) cp "$3" "$4"; exec chmod "$2" "$4" ;;
esac
echo "install: not every system's knows $*" >&2
exit 64
END
chmod 755 "$dir/bin/install"
list() { (cd "$1" && find . -exec stat -c '%a %n' {} + | sort -k 2); }

"$make" "$@" install install-shared DESTDIR="$dir/here" PREFIX=/usr >"$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }
cut_off() { (umask 077 && PATH=$dir/bin "$make" "$@" SHELL="$dir/bin/sh" DESTDIR="$dir/there" PREFIX=/usr) >"$dir/said" 2>&1 || {
    cat "$dir/said"
    exit 1
}; }
cut_off "$@" install install-shared
diff -r "$dir/here" "$dir/there"
list "$dir/here/usr" >"$dir/here.txt"
list "$dir/there/usr" >"$dir/there.txt"
diff "$dir/here.txt" "$dir/there.txt"
cut_off "$@" uninstall
left=$(find "$dir/there" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "tools: $(wc -l <"$dir/here.txt") files and folders come and go by busybox's tools"
