//! What the API server asks the operator before it stores anything, and what users see of that.

mod cases;
mod scaled;
mod words;
