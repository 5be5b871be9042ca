#!/bin/bash
# Compiles a crate of this workspace for cargo, and lints it in the same pass; a lint is an error.
# `make test` uses it as RUSTC_WORKSPACE_WRAPPER: an additional `cargo clippy` would check all
# dependencies and the workspace a second time. (sh would drop CARGO_BIN_EXE_grove-initc, which is not
# a valid name of a variable there.)
#
# A package has one opt-level for its library and for its tests. The hot code is in the libraries:
# tests are compiled without optimisation, which saves a quarter of the whole compilation. The tests
# of the simulator are an exception: they run for minutes.
case " $* " in
  *" --test "*)
    [ "$CARGO_PKG_NAME" = sim-tests ] || exec clippy-driver "$@" -D warnings -C opt-level=0 ;;
esac
exec clippy-driver "$@" -D warnings
