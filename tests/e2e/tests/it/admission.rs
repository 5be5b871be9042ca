//! Requests of the API server to the operator before it stores an object, and the answers that
//! users see.

mod cases;
mod hostile;
mod scaled;
mod served;
mod shared;
mod trusted;
mod words;
