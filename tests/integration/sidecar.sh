# Restrict a command like a container in argocd-repo-server's pod: user 999, no privileges, and only /tmp is writable.
# Run this with `unshare --mount`, so that only this process and its children see the mounts.
set -eu
mount --bind /tmp /tmp
while read -r _ point _; do
  case $point in
    /tmp | /tmp/* | /proc | /proc/* | /sys | /sys/* | /dev | /dev/pts) ;;
    *) mount -o remount,bind,ro "$point" ;;
  esac
done < /proc/self/mounts
cd "$1"
shift
# The capability only allows reading: the checkout may be in a home directory that other users cannot enter.
exec setpriv --reuid 999 --regid 999 --clear-groups --no-new-privs \
  --bounding-set=-all,+dac_read_search --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search "$@"
