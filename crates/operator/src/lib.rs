//! The grove-operator binary: configuration and wiring.
