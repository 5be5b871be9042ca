//! The admission webhook: the certificates it is reached by.

pub mod certificates;
