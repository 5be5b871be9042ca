//! The admission webhook of this operator, if it is configured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use admission::Rules;
use admission::authorizer::Exemptions;
use admission::defaults::DefaultsConfig;
use admission::scale_lock::ScaleLock;
use anyhow::Context as _;
use api::{ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::Key;
use domain::object::ownership;
use domain::topology::Levels;
use engine::leader::WriteGate;
use engine::{Context, Watched};
use futures::FutureExt;
use kube::Client;
use tokio::sync::{oneshot, watch};
use webhook::answers::Judge;
use webhook::certificates::{
    ConfigurationKind, Mode, Options, SecretWatch, Target, WriteTurn, keep, watch_secret,
};
use webhook::metrics::Metrics;
use webhook::parents::CachedObjects;
use webhook::server::{Identity, Server};

use crate::config::{CertProvisionMode, Config, Webhooks};
use crate::tasks::{Stop, Tasks};

const PART: &str = "Webhook";
/// How long it serves after the operator has to stop: the Service leads to it until all nodes know
/// that it is not ready any more.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// The parts of the operator that a webhook needs.
pub(crate) struct Surroundings<'a> {
    pub(crate) context: &'a Arc<Context>,
    pub(crate) client: &'a Client,
    pub(crate) gate: WriteGate,
    pub(crate) leads: watch::Receiver<bool>,
    pub(crate) metrics: Metrics,
    pub(crate) stop: Stop,
}

/// Serves the webhook, if it is configured; the operator is not ready before the webhook is. The
/// returned receiver ends when the last request is answered.
pub(crate) fn start(
    tasks: &mut Tasks,
    config: &Config,
    around: &Surroundings<'_>,
) -> anyhow::Result<Option<oneshot::Receiver<()>>> {
    let Some(webhooks) = &config.server.webhooks else {
        return Ok(None);
    };
    let namespace = &config.process.namespace;
    let options = options(config, webhooks, around);
    let (secret, watching) = watch_secret(
        around.client.clone(),
        namespace,
        &webhooks.secret_name(),
        options.clock.clone(),
    );
    let keeping = keep(
        around.client.clone(),
        options,
        secret.secret.clone(),
        around.leads.clone(),
    );
    tasks.spawn(async move {
        futures::future::join(watching, keeping).await;
        "the keeper of the webhook's certificate"
    });
    tasks.spawn(tell_readiness(
        around.context.clone(),
        secret.serving.clone(),
        around.stop.clone(),
    ));
    serve(tasks, config, webhooks, around, secret).map(Some)
}

fn serve(
    tasks: &mut Tasks,
    config: &Config,
    webhooks: &Webhooks,
    around: &Surroundings<'_>,
    secret: SecretWatch,
) -> anyhow::Result<oneshot::Receiver<()>> {
    let server = Server::bind(webhooks.address()).context("the webhook cannot be served")?;
    let server = server.answering(webhooks.clients());
    let judge = Judge {
        stored: Arc::new(InformerCache(around.context.clone())),
        defaults: DefaultsConfig {
            termination_delay: config.defaults.termination_delay.clone(),
        },
        // Any scheduler: if it has no profile, the controllers write no gangs for it either, and
        // gates keep its gangs together (docs/semantics.md §8.8); a warning says so.
        rules: Rules {
            profiles: Some(config.profiles()),
            allows_topology: config.topology_aware_scheduling.enabled,
            templates_of_other_namespaces: config.resource_sharing.templates_of_other_namespaces,
            allows_mnnvl: config.network.auto_mnnvl_enabled,
            ..Rules::default()
        },
        exemptions: exemptions(config)?,
        scale_lock: scale_lock(config)?,
    };
    let (metrics, stop) = (around.metrics.clone(), around.stop.clone());
    let (over, ended) = oneshot::channel();
    tasks.spawn(async move {
        let last = stop.clone().then(|()| tokio::time::sleep(LAST_CALLS));
        match server.serve(judge, metrics, secret.serving, last).await {
            Err(error) => tracing::error!(%error, "the webhook cannot be served"),
            Ok(()) if stop.now_or_never().is_some() => {
                let _ = over.send(());
                // The webhook ended because the operator stops.
                std::future::pending::<()>().await;
            }
            Ok(()) => {}
        }
        "the webhook"
    });
    Ok(ended)
}

async fn tell_readiness(context: Arc<Context>, mut serving: Identity, stop: Stop) -> &'static str {
    context.set_problem(PART, Some("its certificate is not made yet".into()));
    if serving.wait_for(Option::is_some).await.is_ok() {
        context.set_problem(PART, None);
    }
    stop.await;
    context.set_problem(PART, Some("the operator stops".into()));
    std::future::pending().await
}

fn options(config: &Config, webhooks: &Webhooks, around: &Surroundings<'_>) -> Options {
    let of = |kind: ConfigurationKind, names: Vec<String>| {
        names.into_iter().map(move |name| Target { kind, name })
    };
    let mutating = of(
        ConfigurationKind::Mutating,
        webhooks.mutating_configurations(),
    );
    let validating = of(
        ConfigurationKind::Validating,
        webhooks.validating_configurations(),
    );
    let configurations: Vec<Target> = mutating.chain(validating).collect();
    for target in &configurations {
        around.metrics.begin_configuration(target.to_string());
    }
    let (gate, context) = (around.gate.clone(), around.context.clone());
    Options {
        mode: match webhooks.cert_provision_mode {
            CertProvisionMode::Auto => Mode::Auto {
                lifetime: webhooks.cert_lifetime(),
            },
            CertProvisionMode::Manual => Mode::Manual,
        },
        namespace: config.process.namespace.clone(),
        secret_name: webhooks.secret_name(),
        names: webhooks.names(&config.process.namespace),
        configurations,
        enter_write: Arc::new(move || gate.enter().map(|turn| Box::new(turn) as WriteTurn)),
        clock: Arc::new(move || context.now()),
        metrics: around.metrics.clone(),
    }
}

fn exemptions(config: &Config) -> anyhow::Result<Option<Exemptions>> {
    if !config.authorizer.enabled {
        return Ok(None);
    }
    Ok(Some(Exemptions {
        operator: own_account(config, "authorizer.enabled")?,
        users: config.authorizer.exempt_service_account_user_names.clone(),
    }))
}

fn scale_lock(config: &Config) -> anyhow::Result<Option<ScaleLock>> {
    if !config.admission.coherent_scale_lock {
        return Ok(None);
    }
    let operator = own_account(config, "admission.coherentScaleLock")?;
    Ok(Some(ScaleLock { operator }))
}

/// The user name of this operator, which the webhook must not refuse. `key` needs it.
fn own_account(config: &Config, key: &str) -> anyhow::Result<String> {
    let account = config.process.service_account.as_ref();
    let account = account.with_context(|| {
        format!(
            "{key} is true and the operator does not know its own account: start it with \
             --service-account, or GROVE_OPERATOR_SERVICE_ACCOUNT_NAME"
        )
    })?;
    let namespace = &config.process.namespace;
    Ok(format!("system:serviceaccount:{namespace}:{account}"))
}

/// The cached objects.
struct InformerCache(Arc<Context>);

impl InformerCache {
    fn find<K: Watched>(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let key = Key {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        self.0.caches.of::<K>().get(&key)
    }
}

impl CachedObjects for InformerCache {
    fn set(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueSet>> {
        self.find(namespace, name)
    }

    fn bytes_beside(&self, namespace: &str, name: &str) -> i128 {
        let sets = self.0.caches.of::<PodCliqueSet>();
        sets.bytes_beside(&Key::new(namespace, name))
    }

    fn group(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueScalingGroup>> {
        self.find(namespace, name)
    }

    fn podclique(&self, namespace: &str, name: &str) -> Option<Arc<PodClique>> {
        self.find(namespace, name)
    }

    fn topologies(&self) -> Option<BTreeMap<String, Levels>> {
        let caches = &self.0.caches;
        let is_known = self.0.has_listed_all()
            && caches.is_served::<ClusterTopologyBinding>("")
            && !caches.is_outdated::<ClusterTopologyBinding>("");
        let all = is_known.then(|| caches.of::<ClusterTopologyBinding>().all())?;
        let each = all.iter().map(|binding| {
            let name = ownership::name(&binding.metadata).to_owned();
            (name, Levels::of(binding))
        });
        Some(each.collect())
    }
}
