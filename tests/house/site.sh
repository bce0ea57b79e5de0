#!/bin/sh
# SPDX-License-Identifier: MIT
# site.sh - print the site that this system's own packages come from, as its apt is configured: the one that has
# the suite of the system's own codename. A site of somebody else's packages may well be listed before it.
# --apt: the configuration, instead, by which the apt of a chroot asks there as ours does.
#
# Exit status: 0, or 69: there is no such site, or no apt-get.
set -u
command -v apt-get >/dev/null || { echo "site.sh: no apt-get here: this wants Debian" >&2; exit 69; }
if [ "${1-}" = --apt ]; then
    apt-config dump | grep -i '^Acquire::[a-z]*::Proxy'
    echo 'Acquire::Retries "3";'
    exit
fi
# shellcheck disable=SC1091 # every system has its own
codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ -n "$codename" ] || { echo "site.sh: /etc/os-release has no VERSION_CODENAME" >&2; exit 69; }
# A line for each list that was fetched.
# shellcheck disable=SC2016 # apt expands it
site=$(apt-get indextargets --format '$(CODENAME) $(SITE)' | awk -v own="$codename" '$1 == own && !n++ { print $2 }')
[ -n "$site" ] || {
    echo "site.sh: apt has no site with the suite $codename, which is this system's own;" \
        "if it should have one: apt-get update" >&2
    exit 69
}
echo "$site"
