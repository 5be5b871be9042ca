//! The addresses in the switch.

/// The switch's own address: the API server's for nodes and pods, and the name server's endpoint.
pub(crate) const GATEWAY: &str = "10.2.0.1";

/// The Service of the name server.
pub(super) const DNS: &str = "10.0.0.10";

/// The addresses of all pods of real nodes.
pub(super) const PODS: &str = "10.1.0.0/16";

/// The switch's address with the bits of the nodes' network.
pub(super) fn gateway() -> String {
    format!("{GATEWAY}/24")
}

/// The URL at which nodes and pods reach the API server that listens on this port of the machine's
/// loopback.
pub(super) fn server_url(port: u16) -> String {
    format!("https://{GATEWAY}:{port}")
}

/// A node's address; the first node is 1.
pub(super) fn of_node(number: u8) -> String {
    format!("10.2.0.{}", 10 + number)
}

/// The addresses of a node's pods.
pub(super) fn of_pods(number: u8) -> String {
    format!("10.1.{number}.0/24")
}
