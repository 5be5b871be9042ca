//! `capacity`.

mod check;
mod drawing;
mod eligibility;
mod files;
mod model;
mod placing;
mod properties;
mod requests;
mod sets;
