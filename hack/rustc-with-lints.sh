#!/bin/bash
# Compiles a crate of this workspace as cargo asks for, and lints it in the same pass; a lint is an
# error. `make test` uses it as RUSTC_WORKSPACE_WRAPPER: `cargo clippy` beside it would check all
# dependencies and the workspace a second time. (sh would drop CARGO_BIN_EXE_grove-initc, whose name is
# none for it.)
exec clippy-driver "$@" -D warnings
