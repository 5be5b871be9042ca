//! Pure rules shared by two or more crates.
