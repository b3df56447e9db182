if [ -z "${DGPIN_BUILD:-}" ]; then
  DGPIN_BUILD="deep_gemm-$ARCH"
  dgpin build --host . --out "$DGPIN_BUILD"
fi
dgpin smoke --arch "$ARCH" --build "$DGPIN_BUILD" -o text -o json="evidence-$ARCH.json"
