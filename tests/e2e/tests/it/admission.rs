//! What the API server asks the operator before it stores anything, and what users see of that.

mod cases;
mod hostile;
mod scaled;
mod served;
mod trusted;
mod words;
