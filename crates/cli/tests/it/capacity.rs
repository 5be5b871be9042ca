//! `capacity`.

mod drawing;
mod eligibility;
mod files;
mod model;
mod oracle;
mod placing;
mod properties;
mod requests;
mod sets;
mod strategies;
