if ! command -v dgpin > /dev/null; then
  # A place of its own: the host's environment is what is under test.
  tool=$(mktemp -d)
  python3 -m venv "$tool"
  "$tool/bin/pip" install --quiet "$DGPIN_PACKAGE"
  dgpin() { "$tool/bin/dgpin" "$@"; }
fi
