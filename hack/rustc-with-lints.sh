#!/bin/bash
# Compiles a crate of this workspace as cargo asks for, and lints it in the same pass; a lint is an
# error. `make test` uses it as RUSTC_WORKSPACE_WRAPPER: `cargo clippy` beside it would check all
# dependencies and the workspace a second time. (sh would drop CARGO_BIN_EXE_grove-initc, whose name is
# none for it.)
#
# A package has one opt-level for its library and for its tests. What runs hot is in the libraries:
# tests are compiled without optimisation, which saves a quarter of the whole compilation. Those of
# the simulator are a program that runs for minutes.
case " $* " in
  *" --test "*)
    [ "$CARGO_PKG_NAME" = sim-tests ] || exec clippy-driver "$@" -D warnings -C opt-level=0 ;;
esac
exec clippy-driver "$@" -D warnings
