//! Seeded simulation of the operator; everything is in the tests.
