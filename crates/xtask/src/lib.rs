//! Generates and checks what is written by program.
