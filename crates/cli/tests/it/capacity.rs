//! `capacity`.

mod check;
mod domains;
mod drawing;
mod eligibility;
mod files;
mod model;
mod placing;
mod properties;
mod requests;
mod sets;
