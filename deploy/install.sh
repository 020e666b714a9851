#!/bin/sh
# Installs Twinboard from its unpacked tarball: the program, its systemd units, udev's rules, the nodes' images, the examples.
#
# Run it as root in the unpacked folder; run a later release's script to update. What it installs is what the Debian package does.
# DESTDIR=FOLDER puts everything below that folder and changes nothing of the system.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=${DESTDIR:-}
examples=$root/usr/share/doc/twinboard/examples

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

[ -f "$here/twinboard" ] || fail "there is no program beside this script: run it in the unpacked tarball"
if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
    fail "run it as root: sudo ./install.sh"
fi
if [ -z "$root" ] && ! "$here/twinboard" --version >/dev/null 2>&1; then
    fail "the program does not run here ($(uname -m)): take the tarball for this machine's processor"
fi

install -D -m 755 "$here/twinboard" "$root/usr/bin/twinboard"
for unit in hub adjudicator; do
    install -D -m 644 "$here/$unit.service" "$root/usr/lib/systemd/system/twinboard-$unit.service"
done
install -D -m 644 "$here/60-twinboard.rules" "$root/usr/lib/udev/rules.d/60-twinboard.rules"
for example in "$here"/*.toml "$here"/*.conf; do
    install -D -m 644 "$example" "$examples/$(basename "$example")"
done
for image in "$here"/firmware/*.uf2; do
    [ -f "$image" ] || continue
    install -D -m 644 "$image" "$root/usr/share/twinboard/firmware/$(basename "$image")"
done
install -D -m 644 "$here/README.md" "$root/usr/share/doc/twinboard/README.md"
install -D -m 644 "$here/LICENSE" "$root/usr/share/doc/twinboard/copyright"

if [ -z "$root" ]; then
    getent passwd twinboard >/dev/null ||
        useradd --system --user-group --home-dir /var/lib/twinboard --shell /usr/sbin/nologin twinboard
    install -d -o twinboard -g twinboard -m 750 /var/lib/twinboard
    mkdir -p /etc/twinboard
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
        udevadm control --reload || true
    fi
fi
echo "Twinboard is installed. Go on with $root/usr/share/doc/twinboard/README.md"
