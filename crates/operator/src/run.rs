//! Wiring: watches, controllers, probes.

use std::sync::Arc;
use std::time::Duration;

use admission::Validator;
use admission::defaults::DefaultsConfig;
use anyhow::Context as _;
use clustertopology::ClusterTopologyReconciler;
use engine::clock::{self, Clock};
use engine::leader::Predecessor;
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::{Context, Controllers, Kinds, Reconciler, admin, crds, runner};
use futures::FutureExt;
use http::{HeaderValue, header};
use kube::Client;
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::PodCliqueSetReconciler;
use podgang::PodGangReconciler;

use crate::about;
use crate::config::{Config, Process};
use crate::election::Election;
use crate::tasks::{Stop, Tasks};
use crate::webhooks::{self, Surroundings};

/// Reconciles under way get this long to end after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// A client for the cluster that KUBECONFIG or the pod's ServiceAccount names. Audit logs show
/// which operator sent a request.
pub async fn client(process: &Process) -> anyhow::Result<Client> {
    let mut config = kube::Config::infer()
        .await
        .context("no cluster: set KUBECONFIG or run inside a cluster")?;
    // Writes are repeated by deciding again, never by sending the same request twice; each has a
    // deadline of its own.
    config.default_retry = false;
    let (version, identity) = (env!("CARGO_PKG_VERSION"), &process.identity);
    let agent = HeaderValue::from_str(&format!("grove-operator/{version} ({identity})"))
        .context("the name of this operator's pod is not valid in an HTTP header")?;
    config.headers.push((header::USER_AGENT, agent));
    Client::try_from(config).context("cannot build a client from the cluster's configuration")
}

/// Whether probes and metrics are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoints {
    /// On the configured addresses.
    Served,
    /// Nowhere: tests that run the operator in their own process open no ports.
    Unserved,
}

/// Runs until a signal; an error means that a task that must not end has ended.
pub async fn run(config: Config, client: Client) -> anyhow::Result<()> {
    let clock = Arc::new(clock::now);
    let (endpoints, metrics) = (Endpoints::Served, Metrics::default());
    run_until(config, client, clock, signals()?, endpoints, metrics).await
}

/// Runs until `stop` ends, by this clock; errors as those of [`run`]. The caller may read the
/// counters, too: clones of a counter share its value.
pub async fn run_until(
    config: Config,
    client: Client,
    clock: Clock,
    stop: impl Future<Output = ()> + Send + 'static,
    endpoints: Endpoints,
    mut metrics: Metrics,
) -> anyhow::Result<()> {
    let of_webhook = webhook::metrics::Metrics::default();
    of_webhook.register(metrics.registry());
    about::register(&mut metrics);
    let metrics = Arc::new(metrics);
    let mut election = Election::new(&config, &client, &clock, &metrics);
    let requests = Requests::new(client.clone(), metrics.clone()).behind(election.gate());
    let context = Context::new(requests, metrics, controllers()).with_clock(clock);
    let context = context.called(&config.process.identity);
    let context = context.in_namespaces(&config.watch_namespaces);
    let context = Arc::new(context.on_standby());
    let stop = stop.boxed().shared();
    let mut tasks = Tasks::new();
    tasks.spawn(beat(context.clone()));
    watch_all(&mut tasks, &context, &client, &config);
    let mut served = None;
    if endpoints == Endpoints::Served {
        serve_admin(&mut tasks, &context, &config);
        let around = Surroundings {
            context: &context,
            client: &client,
            gate: election.gate(),
            leads: election.leads(),
            metrics: of_webhook,
            stop: stop.clone(),
        };
        served = webhooks::start(&mut tasks, &config, &around)?;
    }
    lead_until(&stop, &mut tasks, &config, &context, &client, &mut election).await?;
    if let Some(served) = served {
        // API servers send requests until they know that this operator stops.
        let _ = served.await;
    }
    Ok(())
}

/// Decides as soon as this operator leads, until `stop` ends; then another operator may lead.
async fn lead_until(
    stop: &Stop,
    tasks: &mut Tasks,
    config: &Config,
    context: &Arc<Context>,
    client: &Client,
    election: &mut Election,
) -> anyhow::Result<()> {
    tokio::select! {
        () = crds::wait_until_current(context, client) => {}
        () = stop.clone() => return Ok(()),
        ended = tasks.join_next() => anyhow::bail!("{} ended", ended_part(ended)),
    }
    let predecessor = tokio::select! {
        predecessor = election.win(|| context.has_listed_all()) => Some(predecessor),
        () = stop.clone() => None,
        // An operator may wait for weeks before it leads; it must not write with older definitions
        // then.
        missing = crds::wait_until_outdated(client) => return Err(explain_outdated(&missing)),
        ended = tasks.join_next() => anyhow::bail!("{} ended", ended_part(ended)),
    };
    let Some(predecessor) = predecessor else {
        // The claim may be under way.
        election.release(GRACE).await;
        return Ok(());
    };
    if predecessor != Predecessor::None {
        // The cache may not show its last writes yet, or not in their order, and the cause of its
        // silence may have silenced this operator's watches too (decision 89).
        context.list_anew();
    }
    tracing::info!(
        "controllers start; each object is reconciled once all kinds of its namespace are listed"
    );
    let mut controllers = Tasks::new();
    start_controllers(&mut controllers, context, config, stop);
    context.lead();
    tokio::select! {
        // A signal ends the controllers too; it has to be checked first.
        biased;
        () = stop.clone() => {}
        why = election.hold() => anyhow::bail!("the lease is lost: {why}"),
        missing = crds::wait_until_outdated(client) => return Err(explain_outdated(&missing)),
        ended = tasks.join_next() => anyhow::bail!("{} ended", ended_part(ended)),
        ended = controllers.join_next() => {
            // The signal may have come meanwhile, and the controllers ended first.
            let is_asked_to = stop.clone().now_or_never().is_some();
            anyhow::ensure!(is_asked_to, "{} ended", ended_part(ended));
        }
    }
    tracing::info!("stopping: reconciles under way get {GRACE:?}");
    let _ = tokio::time::timeout(GRACE, async {
        while controllers.join_next().await.is_some() {}
    })
    .await;
    election.release(GRACE).await;
    Ok(())
}

async fn beat(context: Arc<Context>) -> &'static str {
    context.heartbeat.beat().await;
    "the heartbeat"
}

fn explain_outdated(missing: &str) -> anyhow::Error {
    anyhow::anyhow!("CustomResourceDefinitions: {missing}")
}

fn ended_part(ended: Option<Result<&'static str, tokio::task::JoinError>>) -> String {
    match ended {
        Some(Ok(part)) => part.to_owned(),
        Some(Err(error)) => error.to_string(),
        None => "everything".to_owned(),
    }
}

/// The controllers of the operator.
pub fn controllers() -> Controllers {
    Controllers::default()
        .with::<PodCliqueSetReconciler>()
        .with::<PodCliqueScalingGroupReconciler>()
        .with::<PodCliqueReconciler>()
        .with::<PodGangReconciler>()
        .with::<ClusterTopologyReconciler>()
}

fn watch_all(tasks: &mut Tasks, context: &Arc<Context>, client: &Client, config: &Config) {
    let kinds = Kinds::all()
        .for_profiles(&config.profiles(), context)
        .for_network(config.network.auto_mnnvl_enabled, context);
    for (kind, watch) in kinds.watches(context, client) {
        tasks.spawn(async move {
            watch.await;
            kind.name()
        });
    }
}

fn serve_admin(tasks: &mut Tasks, context: &Arc<Context>, config: &Config) {
    let (context, health, metrics) = (
        context.clone(),
        config.server.health_probes.or_port(2751),
        config.server.metrics.or_port(2752),
    );
    tasks.spawn(async move {
        let served = async { admin::Server::bind(health, metrics)?.serve(context).await };
        if let Err(error) = served.await {
            tracing::error!(%error, "probes and metrics cannot be served");
        }
        "the server of probes and metrics"
    });
}

fn start_controllers(tasks: &mut Tasks, context: &Arc<Context>, config: &Config, stop: &Stop) {
    let defaults = DefaultsConfig {
        termination_delay: config.defaults.termination_delay.clone(),
    };
    let validator = Arc::new(Validator::new(defaults));
    let at_once = &config.controllers;
    let profiles = Arc::new(config.profiles());
    let stuck_timeouts = config.stuck_timeouts();
    let templates_of_other_namespaces = config.resource_sharing.templates_of_other_namespaces;
    let sets = PodCliqueSetReconciler {
        validator: validator.clone(),
        scaled_gangs_wait_for: config.gang_scheduling.scaled_gangs_wait_for.into(),
        stuck_timeouts,
        profiles: profiles.clone(),
        init_container_image: config.init_container_image.as_str().to_owned(),
        is_topology_aware: config.topology_aware_scheduling.enabled,
        templates_of_other_namespaces,
        is_mnnvl_enabled: config.network.auto_mnnvl_enabled,
    };
    let groups = PodCliqueScalingGroupReconciler {
        validator: validator.clone(),
        stuck_timeouts,
        templates_of_other_namespaces,
        is_mnnvl_enabled: config.network.auto_mnnvl_enabled,
    };
    let cliques = PodCliqueReconciler {
        stuck_timeouts,
        validator,
        init_container_image: config.init_container_image.as_str().to_owned(),
        profiles: profiles.clone(),
        ignores_preferred_domains: !config.topology_aware_scheduling.preferred_affinity,
        templates_of_other_namespaces,
        is_mnnvl_enabled: config.network.auto_mnnvl_enabled,
    };
    let topologies = ClusterTopologyReconciler {
        profiles: profiles.clone(),
        is_topology_aware: config.topology_aware_scheduling.enabled,
    };
    let gangs = PodGangReconciler { profiles };
    start_controller(tasks, context, stop, sets, at_once.pod_clique_set.or(10));
    start_controller(
        tasks,
        context,
        stop,
        groups,
        at_once.pod_clique_scaling_group.or(5),
    );
    start_controller(tasks, context, stop, cliques, at_once.pod_clique.or(10));
    start_controller(tasks, context, stop, gangs, at_once.pod_gang.or(5));
    start_controller(tasks, context, stop, topologies, 1);
}

fn start_controller<R: Reconciler>(
    tasks: &mut Tasks,
    context: &Arc<Context>,
    stop: &Stop,
    reconciler: R,
    at_once: u16,
) {
    let (context, stop) = (context.clone(), stop.clone());
    tasks.spawn(async move {
        runner::run(reconciler, context, at_once, stop).await;
        R::NAME.0
    });
}

fn signals() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
