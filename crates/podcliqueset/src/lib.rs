//! Reconciler.
