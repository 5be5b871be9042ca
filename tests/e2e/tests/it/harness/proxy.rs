//! A proxy between one operator and the API server: it shows the operator one namespace as the only
//! one, and injects the faults of a test.
//!
//! The operator connects to it by plain HTTP; it connects to the API server with the operator's
//! token. It changes nothing else: watches pass through line by line.

mod asked;
mod fault;
mod serve;
mod shown;
mod slots;

use std::collections::HashMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

pub use asked::Asked;
pub use fault::{Edit, Fault, Shown, share};
use slots::Slots;

type Rule = Arc<dyn Fn(&Asked) -> Fault + Send + Sync>;

/// A proxy for one namespace. Dropping it ends it and all its connections.
pub struct Proxy {
    kubeconfig: PathBuf,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

/// The state that all connections share.
struct Shared {
    client: Client,
    namespace: String,
    /// Whether nodes and ClusterTopologyBindings are shown as well.
    shows_topology: bool,
    rule: Mutex<Rule>,
    asked: Mutex<HashMap<Asked, usize>>,
    /// Verb, resource and subresource of each write.
    writes: Mutex<Vec<String>>,
    slots: Mutex<Slots>,
    is_gone: watch::Sender<bool>,
    /// A message ends every watch.
    cuts: watch::Sender<()>,
}

impl Proxy {
    /// For an operator with its files in `dir` and the identity of this kubeconfig.
    pub fn start(account: &Path, namespace: &str, dir: &Path) -> Self {
        Self::showing(account, namespace, dir, false)
    }

    /// The same, with the cluster's nodes and ClusterTopologyBindings.
    pub fn start_with_topology(account: &Path, namespace: &str, dir: &Path) -> Self {
        Self::showing(account, namespace, dir, true)
    }

    fn showing(account: &Path, namespace: &str, dir: &Path, shows_topology: bool) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (client, listener) = runtime.block_on(async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
            (client(account).await, listener.unwrap())
        });
        let kubeconfig = dir.join("proxy.kubeconfig");
        fs::write(&kubeconfig, text(listener.local_addr().unwrap())).unwrap();
        let shared = Arc::new(Shared {
            client,
            namespace: namespace.to_owned(),
            shows_topology,
            rule: Mutex::new(Arc::new(|_| Fault::None)),
            asked: Mutex::default(),
            writes: Mutex::default(),
            slots: Mutex::default(),
            is_gone: watch::Sender::new(false),
            cuts: watch::Sender::new(()),
        });
        runtime.spawn(serve::serve(listener, shared.clone()));
        Self {
            kubeconfig,
            shared,
            _runtime: runtime,
        }
    }

    /// The operator's kubeconfig for the proxy.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// From now on this function decides the fate of each request; it has to be quick.
    pub fn disturb(&self, rule: impl Fn(&Asked) -> Fault + Send + Sync + 'static) {
        *self.shared.rule() = Arc::new(rule);
    }

    /// From now on all requests pass.
    pub fn disturb_no_more(&self) {
        self.disturb(|_| Fault::None);
    }

    /// The API server is gone: connections end, new ones too as soon as they open.
    pub fn vanish(&self) {
        self.shared.is_gone.send_replace(true);
    }

    /// The API server is back.
    pub fn come_back(&self) {
        self.shared.is_gone.send_replace(false);
    }

    /// Ends all watches abruptly, without the end of the HTTP response.
    pub fn cut_watches(&self) {
        self.shared.cuts.send_replace(());
    }

    /// Verb, resource and subresource of each write, in order of arrival.
    pub fn writes(&self) -> Vec<String> {
        let writes = self.shared.writes.lock();
        writes.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of such requests.
    pub fn count(&self, fits: impl Fn(&Asked) -> bool) -> usize {
        let asked = self.shared.asked();
        let fitting = asked.iter().filter(|(asked, _)| fits(asked));
        fitting.map(|(_, count)| count).sum()
    }
}

impl Shared {
    fn rule(&self) -> MutexGuard<'_, Rule> {
        self.rule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Asked, usize>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client with the identity of this kubeconfig.
pub async fn client(kubeconfig: &Path) -> Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.unwrap();
    // A request of the operator is sent once.
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

fn text(address: SocketAddr) -> String {
    format!(
        "{{apiVersion: v1, kind: Config, current-context: proxy,\n\
         clusters: [{{name: proxy, cluster: {{server: \"http://{address}\"}}}}],\n\
         contexts: [{{name: proxy, context: {{cluster: proxy, user: nobody}}}}],\n\
         users: [{{name: nobody, user: {{}}}}]}}\n"
    )
}
