//! Probes that the API server refuses, or that can never succeed.

use k8s_openapi::api::core::v1::{Container, PodSpec, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::ports::is_port;
use crate::lint::parts::all_containers;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_PROBE: Rule = Rule::error(
    "invalid-probe",
    "a probe without exactly one action, with an impossible number, or of a port that the container does not name",
    "The API server refuses each pod of the set, or the probe fails forever.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    all_containers(at, pod)
        .flat_map(|(at, container)| {
            let probes = [
                ("livenessProbe", &container.liveness_probe, true),
                ("startupProbe", &container.startup_probe, true),
                ("readinessProbe", &container.readiness_probe, false),
            ];
            probes
                .into_iter()
                .filter_map(|(field, probe, is_once)| Some((field, probe.as_ref()?, is_once)))
                .flat_map(|(field, probe, is_once)| {
                    let at = format!("{at}.{field}");
                    let found = [
                        actions(&at, probe),
                        successes(&at, probe, is_once),
                        port(&at, probe, container),
                    ];
                    found.into_iter().flatten().chain(negatives(&at, probe))
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

fn actions(at: &str, probe: &Probe) -> Option<Remark> {
    let actions = [
        probe.exec.is_some(),
        probe.http_get.is_some(),
        probe.tcp_socket.is_some(),
        probe.grpc.is_some(),
    ];
    let count = actions.into_iter().filter(|is_set| *is_set).count();
    let problem = format!("has {count} actions and needs exactly one");
    (count != 1).then(|| {
        let remark = Remark::new(&INVALID_PROBE, at, problem);
        remark.remedy("set one of exec, httpGet, tcpSocket, grpc")
    })
}

/// Liveness and startup probes succeed once.
fn successes(at: &str, probe: &Probe, is_once: bool) -> Option<Remark> {
    let threshold = probe.success_threshold.filter(|threshold| *threshold > 1)?;
    is_once.then(|| {
        let problem = "must be 1 for liveness and startup probes".to_owned();
        let remark = Remark::new(&INVALID_PROBE, format!("{at}.successThreshold"), problem);
        remark.value(threshold.to_string()).remedy("remove it")
    })
}

fn negatives(at: &str, probe: &Probe) -> Vec<Remark> {
    let numbers = [
        ("failureThreshold", probe.failure_threshold),
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("periodSeconds", probe.period_seconds),
        ("successThreshold", probe.success_threshold),
        ("timeoutSeconds", probe.timeout_seconds),
    ];
    numbers
        .into_iter()
        .filter_map(|(field, number)| Some((field, number.filter(|number| *number < 0)?)))
        .map(|(field, number)| {
            let problem = "must not be negative".to_owned();
            let remark = Remark::new(&INVALID_PROBE, format!("{at}.{field}"), problem);
            remark.value(number.to_string()).remedy("raise it")
        })
        .collect()
}

fn port(at: &str, probe: &Probe, container: &Container) -> Option<Remark> {
    let http = probe
        .http_get
        .as_ref()
        .map(|get| ("httpGet", get.port.clone()));
    let tcp = probe
        .tcp_socket
        .as_ref()
        .map(|tcp| ("tcpSocket", tcp.port.clone()));
    let grpc = probe
        .grpc
        .as_ref()
        .map(|grpc| ("grpc", IntOrString::Int(grpc.port)));
    let (action, port) = http.or(tcp).or(grpc)?;
    let at = format!("{at}.{action}.port");
    match port {
        IntOrString::Int(number) => (!is_port(number)).then(|| {
            let remark = Remark::new(&INVALID_PROBE, at, "must be from 1 to 65535".to_owned());
            remark.value(number.to_string()).remedy("correct it")
        }),
        IntOrString::String(name) => (!has_port(container, &name)).then(|| {
            let problem = format!("container {} has no port of that name", container.name);
            let remark = Remark::new(&INVALID_PROBE, at, problem).value(format!("{name:?}"));
            remark.remedy("name a port of the container, or write a number without quotes")
        }),
    }
}

fn has_port(container: &Container, name: &str) -> bool {
    let mut ports = container.ports.iter().flatten();
    ports.any(|port| port.name.as_deref() == Some(name))
}
