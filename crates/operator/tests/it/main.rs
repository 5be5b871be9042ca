//! Tests of the configuration and the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod init_container;
mod logging;
mod metrics;
mod namespaces;
mod probe;
mod scheduler_gap;
mod triggers;

use std::net::SocketAddr;

use clap::Parser;
use domain::scheduling::Backend;
use domain::sharing::TemplatesOfOtherNamespaces;
use operator::args::Args;
use operator::config::{Config, LogFormat, LogLevel, parse};
use rstest::rstest;

const HEAD: &str = "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n";

fn with(rest: &str) -> Result<Config, String> {
    parse(&format!("{HEAD}{rest}")).map_err(|e| e.to_string())
}

#[test]
fn has_groves_defaults() {
    let config = with("").unwrap();
    assert_eq!(config.controllers.pod_clique_set.or(10), 10);
    let expected: SocketAddr = "0.0.0.0:2751".parse().unwrap();
    assert_eq!(config.server.health_probes.or_port(2751), expected);
    assert_eq!(
        (config.log_level, config.log_format),
        (LogLevel::Info, LogFormat::Json)
    );
    assert_eq!(
        config.defaults.termination_delay, None,
        "gang termination is opt-in (seed 000)"
    );
}

#[test]
fn takes_every_key_it_honours() {
    let config = with(
        "logLevel: debug
logFormat: text
controllers:
  podCliqueSet: {concurrentSyncs: 20}
server:
  healthProbes: {bindAddress: 127.0.0.1, port: 0}
  metrics: {bindAddress: '::1', port: 8080}
defaults: {terminationDelay: 4h}
gangScheduling: {scaledGangsWaitFor: BaseScheduled}
stuckPodTimeout: 2m
stuckPodTimeoutOnReadyNode: never
watchNamespaces: [team-a, team-b]
",
    )
    .unwrap();
    assert_eq!(config.controllers.pod_clique_set.or(10), 20);
    assert_eq!(config.watch_namespaces, ["team-a", "team-b"]);
    assert_eq!(
        config.server.metrics.or_port(2752).to_string(),
        "[::1]:8080"
    );
}

#[test]
fn sizes_are_locked_only_if_the_key_says_so() {
    assert!(!with("").unwrap().admission.coherent_scale_lock);
    let locked = "server: {webhooks: {}}\nadmission: {coherentScaleLock: true}\n";
    assert!(with(locked).unwrap().admission.coherent_scale_lock);
}

#[test]
fn topology_constraints_are_honoured_unless_the_key_says_otherwise() {
    let is_enabled = |rest: &str| with(rest).unwrap().topology_aware_scheduling.enabled;
    assert!(is_enabled(""));
    assert!(is_enabled("topologyAwareScheduling: {}\n"));
    assert!(!is_enabled("topologyAwareScheduling: {enabled: false}\n"));
    let prefers = |text: &str| {
        let config = with(text).unwrap();
        config.topology_aware_scheduling.preferred_affinity
    };
    assert!(prefers("topologyAwareScheduling: {enabled: true}\n"));
    assert!(!prefers(
        "topologyAwareScheduling: {preferredAffinity: false}\n"
    ));
    let unknown = with("topologyAwareScheduling: {levels: []}\n").unwrap_err();
    assert!(unknown.contains("levels"), "{unknown}");
}

#[test]
fn templates_of_other_namespaces_are_read_unless_the_key_says_otherwise() {
    let read = |text: &str| {
        let config = with(text).unwrap();
        config.resource_sharing.templates_of_other_namespaces
    };
    assert_eq!(read(""), TemplatesOfOtherNamespaces::Allow);
    assert_eq!(
        read("resourceSharing: {templatesOfOtherNamespaces: Allow}\n"),
        TemplatesOfOtherNamespaces::Allow
    );
    assert_eq!(
        read("resourceSharing: {templatesOfOtherNamespaces: Deny}\n"),
        TemplatesOfOtherNamespaces::Deny
    );
}

#[test]
fn compute_domains_are_made_only_if_the_key_says_so() {
    let is_on = |rest: &str| with(rest).unwrap().network.auto_mnnvl_enabled;
    assert!(!is_on(""));
    assert!(!is_on("network: {}\n"));
    assert!(is_on("network: {autoMNNVLEnabled: true}\n"));
    let unknown = with("network: {autoMnnvlEnabled: true}\n").unwrap_err();
    assert!(unknown.contains("autoMnnvlEnabled"), "{unknown}");
}

#[test]
fn queues_are_used_only_if_the_key_says_so() {
    let is_used = |rest: &str| with(rest).unwrap().profiles().is_queueing();
    assert!(!is_used(""));
    assert!(!is_used("queueing: {}\n"));
    assert!(is_used("queueing: {kueue: {enabled: true}}\n"));
    let unknown = with("queueing: {volcano: {}}\n").unwrap_err();
    assert!(unknown.contains("volcano"), "{unknown}");
}

/// A scheduler may have another name than its backend.
#[test]
fn knows_the_schedulers_that_need_gang_objects() {
    let config = with(
        "scheduler:
  profiles:
    - name: kai-scheduler
    - {name: research, backend: kai-scheduler}
    - {name: deep, backend: kai-scheduler, gangs: Tree}
    - {name: volcano}
    - name: default-scheduler
",
    );
    let profiles = config.unwrap().scheduler.profiles();
    for (name, backend) in [
        (Some("kai-scheduler"), Backend::KaiScheduler),
        (Some("research"), Backend::KaiScheduler),
        (Some("deep"), Backend::KaiTree),
        (Some("volcano"), Backend::Volcano),
        (Some("default-scheduler"), Backend::DefaultScheduler),
        (Some("unknown"), Backend::DefaultScheduler),
        (None, Backend::DefaultScheduler),
    ] {
        assert_eq!(profiles.backend_of(name), backend, "{name:?}");
    }
    assert!(profiles.uses(Backend::KaiScheduler));
    assert!(
        !with("")
            .unwrap()
            .scheduler
            .profiles()
            .uses(Backend::KaiScheduler)
    );
}

/// Manifests that name a scheduler that does not run keep their name; their pods get another.
#[test]
fn a_profile_says_which_scheduler_pods_get_and_that_they_need_a_queue() {
    let config = with(
        "scheduler:
  profiles:
    - {name: kueue, backend: kubernetes, schedulerName: default-scheduler, requiresQueue: true}
    - {name: default-scheduler}
queueing: {kueue: {enabled: true}}
",
    );
    let profiles = config.unwrap().profiles();
    for (name, in_pods, requires_queue) in [
        (Some("kueue"), Some("default-scheduler"), true),
        (Some("default-scheduler"), Some("default-scheduler"), false),
        (Some("unknown"), Some("unknown"), false),
        (None, None, false),
    ] {
        assert_eq!(profiles.scheduler_of_pods(name), in_pods, "{name:?}");
        assert_eq!(profiles.requires_queue(name), requires_queue, "{name:?}");
    }
    assert_eq!(profiles.backend_of(Some("kueue")), Backend::Kubernetes);
}

#[rstest]
#[case::unknown_key("colour: red\n", "colour")]
#[case::unknown_inner_key("server: {webook: {}}\n", "webook")]
#[case::not_honoured_yet(
    "debugging: {enableProfiling: true}\n",
    "debugging: not implemented yet; remove this key"
)]
#[case::other_lock(
    "leaderElection: {resourceLock: configmaps}\n",
    "leaderElection.resourceLock: must be leases"
)]
#[case::part_of_a_second(
    "leaderElection: {leaseDuration: 15500ms}\n",
    "leaderElection.leaseDuration: 15.5s must be whole seconds"
)]
#[case::deadline_after_the_lease(
    "leaderElection: {leaseDuration: 5s}\n",
    "leaderElection.renewDeadline: 10s must be less than leaseDuration (5s)"
)]
#[case::seldom_renewed(
    "leaderElection: {retryPeriod: 10s}\n",
    "leaderElection.retryPeriod: 10s must be less than renewDeadline (10s)"
)]
#[case::never_renewed(
    "leaderElection: {retryPeriod: 0s}\n",
    "leaderElection.retryPeriod: 0s must be greater than 0, e.g. 2s"
)]
#[case::not_honoured_inside(
    "server: {webhooks: {serverCertDir: /certs}}\n",
    "server.webhooks.serverCertDir: the certificate is read from the Secret"
)]
#[case::no_tls(
    "server: {webhooks: {url: 'http://10.0.0.7:2750'}}\n",
    "server.webhooks.url: \"http://10.0.0.7:2750\" must be https://<host>:<port>"
)]
#[case::no_ca_of_clients(
    "server: {webhooks: {clientCA: junk}}\n",
    "server.webhooks.clientCA: there is no certificate in it; give the PEM of the CA"
)]
#[case::nobody_refuses(
    "authorizer: {enabled: true}\n",
    "authorizer.enabled: there is no webhook that could refuse anything"
)]
#[case::nobody_locks(
    "admission: {coherentScaleLock: true}\n",
    "admission.coherentScaleLock: there is no webhook that could refuse anything"
)]
#[case::unknown_backend(
    "scheduler: {profiles: [{name: mine}]}\n",
    "scheduler.profiles[0].backend: unknown backend \"mine\"; use default-scheduler"
)]
#[case::scheduler_twice(
    "scheduler: {profiles: [{name: kai-scheduler}, {name: kai-scheduler}]}\n",
    "scheduler.profiles[1].name: \"kai-scheduler\" is listed twice"
)]
#[case::scheduler_without_name(
    "scheduler: {profiles: [{backend: kai-scheduler}]}\n",
    "scheduler.profiles[0].name: is empty"
)]
#[case::tree_of_another_backend(
    "scheduler: {profiles: [{name: volcano, gangs: Tree}]}\n",
    "scheduler.profiles[0].gangs: only backends kubernetes and kai-scheduler support Tree; remove it"
)]
#[case::scheduler_with_config(
    "scheduler: {profiles: [{name: kai-scheduler, config: {}}]}\n",
    "scheduler.profiles[0].config: not honoured yet"
)]
#[case::no_scheduler_in_pods(
    "scheduler: {profiles: [{name: volcano, schedulerName: ''}]}\n",
    "scheduler.profiles[0].schedulerName: is empty"
)]
#[case::required_queue_without_queues(
    "scheduler: {profiles: [{name: volcano, requiresQueue: true}]}\n",
    "scheduler.profiles[0].requiresQueue: there are no queues; set queueing.kueue.enabled: true"
)]
#[case::default_scheduler(
    "scheduler: {defaultProfileName: kai-scheduler}\n",
    "scheduler.defaultProfileName: \"kai-scheduler\" is not honoured yet"
)]
#[case::zero_workers(
    "controllers: {podClique: {concurrentSyncs: 0}}\n",
    "controllers.podClique.concurrentSyncs: 0 is not in 1..=1000"
)]
#[case::unknown_level("logLevel: loud\n", "loud")]
#[case::port_too_high("server: {metrics: {port: 70000}}\n", "70000")]
#[case::unknown_word("resourceSharing: {templatesOfOtherNamespaces: Refuse}\n", "Refuse")]
#[case::unknown_key_of_claims("resourceSharing: {templates: Deny}\n", "templates")]
#[case::no_duration("stuckPodTimeout: soon\n", "stuckPodTimeout: ")]
#[case::no_time_at_all(
    "stuckPodTimeoutOnReadyNode: 0s\n",
    "stuckPodTimeoutOnReadyNode: 0s must be greater than 0, e.g. 10m or never"
)]
#[case::no_namespace(
    "watchNamespaces: [Team_A]\n",
    "watchNamespaces[0]: \"Team_A\" is not a valid namespace name"
)]
#[case::namespace_twice(
    "watchNamespaces: [a, b, a]\n",
    "watchNamespaces[2]: \"a\" is listed twice"
)]
#[case::one_namespace_as_text("watchNamespaces: team-a\n", "watchNamespaces")]
#[case::zero_delay(
    "defaults: {terminationDelay: 0s}\n",
    "defaults.terminationDelay: 0s must be at least 1s"
)]
#[case::not_yaml("{", "")]
fn refuses_unusable_values_and_names_the_key(#[case] text: &str, #[case] expected: &str) {
    let error = with(text).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn refuses_a_file_of_another_kind() {
    let error = parse("kind: Deployment\n").unwrap_err().to_string();
    assert_eq!(
        error,
        "kind: is \"Deployment\", must be \"OperatorConfiguration\""
    );
}

#[test]
fn has_flags_as_the_go_operator() {
    let args = Args::try_parse_from(["grove-operator", "--config", "c.yaml", "--namespace", "ns"])
        .unwrap();
    assert_eq!(
        (args.config.unwrap().to_str(), args.namespace.as_str()),
        (Some("c.yaml"), "ns")
    );
    let of_pod = |uid: &str| {
        let args = ["grove-operator", "--pod-name", "grove-1", "--pod-uid", uid];
        Args::try_parse_from(args).unwrap().process().identity
    };
    assert_eq!(of_pod("a"), "grove-1_a", "the same after a restart");
    for flag in ["-v", "--version", "--help"] {
        let error = Args::try_parse_from(["grove-operator", flag]).unwrap_err();
        assert!(!error.use_stderr(), "{flag} is not an error");
    }
    assert!(
        Args::try_parse_from(["grove-operator", "--nonsense"])
            .unwrap_err()
            .use_stderr()
    );
}
