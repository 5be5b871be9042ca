//! Why an API server cannot be reached, and how to find the cause.

use std::error::Error;
use std::io;
use std::iter::successors;

use domain::object::text;

/// The connection was accepted and then ended.
const ENDS: [io::ErrorKind; 4] = [
    io::ErrorKind::ConnectionReset,
    io::ErrorKind::ConnectionAborted,
    io::ErrorKind::BrokenPipe,
    io::ErrorKind::UnexpectedEof,
];

/// The text of the error, with its causes down to the innermost, and a remedy.
pub fn explain(error: &(dyn Error + 'static)) -> String {
    let said = text::with_causes(error);
    match remedy(error, &said) {
        Some(remedy) => format!("{said}; {remedy}"),
        None => said,
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |error| (**error).source())
}

fn remedy(error: &(dyn Error + 'static), said: &str) -> Option<&'static str> {
    let kinds: Vec<io::ErrorKind> = causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .map(io::Error::kind)
        .collect();
    let is = |kind| kinds.contains(&kind);
    let says = |words: &str| said.contains(words);
    if is(io::ErrorKind::ConnectionRefused) {
        Some("nothing listens there: is the API server up, and is this its port?")
    } else if ENDS.into_iter().any(is) || says("connection closed") || says("eof") {
        Some(
            "the connection was closed: is the API server up, and does a proxy in front of it close \
             connections?",
        )
    } else if is(io::ErrorKind::HostUnreachable) || is(io::ErrorKind::NetworkUnreachable) {
        Some("there is no route to it: check routes, firewalls and NetworkPolicies")
    } else if is(io::ErrorKind::TimedOut) {
        Some("it does not answer: check firewalls and NetworkPolicies")
    } else if says("certificate") || says("Certificate") {
        Some(
            "the certificate is not valid for this name, or not signed by the CA of the kubeconfig",
        )
    } else if says("dns error") || says("lookup address") {
        Some("the name cannot be resolved: check the server in the kubeconfig, and DNS")
    } else {
        None
    }
}
