# What a container of argocd-repo-server's Pod allows: /tmp to write to, nothing else, user 999, no way up.
# Run by `unshare --mount`, so that only this process and its children see it.
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
# The capability is for reading alone: a checkout may lie in a home that other users cannot enter.
exec setpriv --reuid 999 --regid 999 --clear-groups --no-new-privs \
  --bounding-set=-all,+dac_read_search --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search "$@"
