#!/bin/sh
# SPDX-License-Identifier: MIT
# servers.sh DIR [NAME...] - fetch servers of many versions from Debian's suites into DIR, one directory each,
# and print one line for each: NAME, its version, the program to run. Nothing is installed: the packages are
# only unpacked, and DIR/NAME/server runs the program with its own loader. Existing servers in DIR stay.
#
# Exit status: 0 all are here; 64 bad usage; 69 no mmdebstrap, or a package is missing (see the message).
set -u

# name suite package; the system's own redis-server is not among them
table() {
    cat <<'END'
bullseye-redis      bullseye     redis-server
trixie-valkey       trixie       valkey-server
sid-redis           sid          redis-server
sid-valkey          sid          valkey-server
experimental-redis  experimental redis-server
END
}

[ $# -ge 1 ] || { echo "usage: servers.sh DIR [NAME...]" >&2; exit 64; }
mkdir -p "$1" || exit 69
dir=$(cd "$1" && pwd)
house=$(dirname "$0")/../house
shift
for name; do
    table | grep -q "^$name " || { echo "servers.sh: no server $name" >&2; exit 64; }
done

# A server needs only its program, its loader and its libraries.
strip_tree() { # folder
    find "$1" -depth ! -type d ! -path '*/bin/redis*' ! -path '*/bin/valkey*' ! -path '*/lib*/*.so*' \
        -exec rm -f {} + && find "$1" -depth -type d -empty -delete
}

# The whole program: exec, so that its parent process has the server's process id.
write_runner() { # folder package
    cat >"$1/server.new" <<'END'
#!/bin/sh
here=$(dirname "$0")
for loader in "$here"/usr/lib/*/ld-linux*.so.* "$here"/lib/*/ld-linux*.so.*; do
    [ ! -e "$loader" ] || break
done
arch=$(basename "$(dirname "$loader")")
END
    # shellcheck disable=SC2016 # to be expanded there
    echo 'exec "$loader" --library-path "$here/usr/lib/$arch:$here/lib/$arch" "$here/usr/bin/'"$2"'" "$@"' \
        >>"$1/server.new"
    chmod +x "$1/server.new"
    "$1/server.new" --version >/dev/null && mv "$1/server.new" "$1/server"
}

fetch() { # name suite package
    site=$("$house/site.sh") || return
    new="$dir/.new-$1-$$"
    log="$dir/$1.log"
    if [ "$2" = experimental ]; then # experimental builds on sid; the package must not come from sid
        set -- "$1" sid "$3" "$3/experimental" "deb $site sid main" "deb $site experimental main"
        release=--aptopt='APT::Default-Release "experimental"'
        from=experimental
    else
        from=$2
        set -- "$1" "$2" "$3" "$3" "$site"
        release=--aptopt='APT::Install-Recommends "false"'
    fi
    name=$1 suite=$2 package=$3 wanted=$4
    shift 4
    mmdebstrap --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Retries "3"' \
        "$release" --include="$wanted" "$suite" "$new" "$@" >"$log" 2>&1 &&
        strip_tree "$new" && write_runner "$new" "$package" && mv "$new" "$dir/$name" && return
    if grep -qE "^E: (Unable to locate package $package\$|Package '$package' has no installation candidate|Release '.*' for '$package' was not found)" "$log"; then
        echo "servers.sh: $from has no package $package (any more): change the table in $0" >&2
    else
        echo "servers.sh: cannot get $package of $from; $log has:" >&2
        { grep '^E: ' "$log" || tail -n 3 "$log"; } | head -n 3 >&2
    fi
    rm -rf "$new"
    return 1
}

status=0
while read -r name suite package; do
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    if [ ! -x "$dir/$name/server" ]; then
        if ! command -v mmdebstrap >/dev/null; then
            echo "servers.sh: no mmdebstrap (package mmdebstrap): \`make deps DEPS=live\` installs it" >&2
            exit 69
        fi
        echo "fetching $package of $suite" >&2
        fetch "$name" "$suite" "$package" || { status=69; continue; }
    fi
    version=$("$dir/$name/server" --version | sed 's/^\([A-Za-z]*\).* v=\([0-9.]*\) .*/\1 \2/')
    echo "$name $version $dir/$name/server"
done <<END
$(table)
END
exit $status
