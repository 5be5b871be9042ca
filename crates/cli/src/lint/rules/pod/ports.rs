//! Ports of containers.

use std::collections::HashSet;

use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec};

use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_PORT: Rule = Rule::error(
    "invalid-port",
    "a port outside 1 to 65535, or with an invalid name, protocol or hostPort",
    "The API server stores the set and refuses each of its pods.",
);

/// The longest name of a port.
const LONGEST: usize = 15;
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// Whether a port has that number.
pub(super) fn is_port(number: i32) -> bool {
    (1..=65_535).contains(&number)
}

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let is_on_host = pod.host_network == Some(true);
    all_containers(at, pod)
        .flat_map(|(at, container)| of_container(&at, container, is_on_host))
        .collect()
}

fn of_container(at: &str, container: &Container, is_on_host: bool) -> Vec<Remark> {
    let mut names = HashSet::new();
    let ports = container.ports.iter().flatten().enumerate();
    ports
        .flat_map(|(i, port)| {
            let is_taken = port.name.as_deref().is_some_and(|name| !names.insert(name));
            let at = format!("{at}.ports[{i}]");
            let found = [
                number(&at, "containerPort", Some(port.container_port)),
                number(&at, "hostPort", port.host_port.filter(|port| *port != 0)),
                other_on_host(&at, port, is_on_host),
                protocol(&at, port),
                name(&at, port, is_taken),
            ];
            found.into_iter().flatten().collect::<Vec<_>>()
        })
        .collect()
}

fn number(at: &str, field: &str, number: Option<i32>) -> Option<Remark> {
    let number = number.filter(|number| !is_port(*number))?;
    let problem = "must be from 1 to 65535".to_owned();
    let remark = Remark::new(&INVALID_PORT, format!("{at}.{field}"), problem);
    Some(remark.value(number.to_string()).remedy("correct it"))
}

fn other_on_host(at: &str, port: &ContainerPort, is_on_host: bool) -> Option<Remark> {
    let host = port.host_port.filter(|_| is_on_host)?;
    let problem = "must equal containerPort, as hostNetwork is true".to_owned();
    (host != port.container_port).then(|| {
        let remark = Remark::new(&INVALID_PORT, format!("{at}.hostPort"), problem);
        let remark = remark.value(host.to_string());
        remark.remedy(format!("set it to {}, or remove it", port.container_port))
    })
}

fn protocol(at: &str, port: &ContainerPort) -> Option<Remark> {
    let protocol = port.protocol.as_deref()?;
    let is_known = PROTOCOLS.contains(&protocol);
    (!is_known).then(|| {
        let problem = "is no protocol of a port".to_owned();
        let remark = Remark::new(&INVALID_PORT, format!("{at}.protocol"), problem);
        remark
            .value(format!("{protocol:?}"))
            .remedy("use one of TCP, UDP, SCTP")
    })
}

fn name(at: &str, port: &ContainerPort, is_taken: bool) -> Option<Remark> {
    let name = port.name.as_deref()?;
    let problem = if is_taken {
        "is the name of another port of the container, too"
    } else if is_port_name(name) {
        return None;
    } else {
        "must have at most 15 lower-case letters, digits and single hyphens, one of them a letter"
    };
    let remark = Remark::new(&INVALID_PORT, format!("{at}.name"), problem.to_owned());
    Some(
        remark
            .value(format!("{name:?}"))
            .remedy("rename it, such as http"),
    )
}

/// The name of a service by RFC 6335.
fn is_port_name(name: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(is_inner)
        && name.bytes().any(|b| b.is_ascii_lowercase())
        && !name.contains("--")
        && !name.starts_with('-')
        && !name.ends_with('-')
}
