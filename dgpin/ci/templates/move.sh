base=$(mktemp -d)/base
git worktree add --quiet --detach "$base" "$BASE_SHA"
pinned() {
  dgpin show --json "$@" | python3 -c '
import json, sys
pin = json.load(sys.stdin)
# A host that pins a release means the tag of that name.
print(pin["commit"] or "v" + (pin["wheel"] or pin["version"] or sys.exit("no site states the pin")))'
}
old=$(pinned --host "$base/$(git rev-parse --show-prefix)")
new=$(pinned --host .)
if [ "$old" != "$new" ]; then
  status=0
  dgpin diff-api "$old" "$new" --host . -o text -o json=evidence-diff-api.json || status=$?
  dgpin carry "$old" "$new" --host . -o text -o json=evidence-carry.json || status=$?
  exit "$status"
fi
