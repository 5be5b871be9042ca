//! The API server of the tests.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};

use anyhow::{Context as _, Error, Result, ensure};
use e2e::mirror::Mirror;
use localcluster::tool::Tool;
use localcluster::{Cluster, Options, Repository, users_kubeconfig};
use serde_json::Value;

use super::{audit, client, wait};

/// The root of the checkout.
pub static CHECKOUT: LazyLock<PathBuf> = LazyLock::new(|| {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap().to_owned()
});

/// Nothing here routes or resolves names, so no test needs the endpoints of Services, which are a
/// tenth of all writes while pods come and go.
const NO_ENDPOINTS: [&str; 3] = [
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
];

/// Held by the run that uses `.localcluster/e2e`.
static TURN: LazyLock<File> = LazyLock::new(|| {
    let folder = CHECKOUT.join(".localcluster/e2e");
    fs::create_dir_all(&folder).unwrap();
    let file = File::create(folder.join("lock")).unwrap();
    if file.try_lock().is_err() {
        eprintln!("another run of the e2e tests is under way in this checkout: waiting for it");
        file.lock().unwrap();
    }
    audit::forget();
    file
});

/// The folder of that name for logs and state of this run; it stays.
pub fn folder(name: &str) -> PathBuf {
    LazyLock::force(&TURN);
    let folder = CHECKOUT.join(".localcluster/e2e").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A control plane: a local one that ends with this process, or the user's.
#[derive(Debug)]
pub struct ControlPlane {
    /// The local control plane; dropping it ends it.
    local: Option<Cluster>,
    bin: PathBuf,
    pub dir: PathBuf,
    pub kubeconfig: PathBuf,
    mirror: OnceLock<Mirror>,
}

impl ControlPlane {
    /// The control plane of `KUBECONFIG` if that is set, else a local one.
    pub fn of_user_or_local(name: &str, nodes: u32) -> Result<Self> {
        let repository = Repository::find()?;
        let Some(kubeconfig) = users_kubeconfig(&repository) else {
            return Self::local(name, nodes, &[]);
        };
        eprintln!(
            "the e2e tests use your KUBECONFIG: {}",
            kubeconfig.display()
        );
        let control_plane = Self {
            local: None,
            bin: Tool::find_or_build(&repository)?.bin(),
            dir: folder(name),
            kubeconfig,
            mirror: OnceLock::new(),
        };
        control_plane.refuse_if_operated()?;
        Ok(control_plane)
    }

    /// The tests install the chart, without pods: they would pause an operator that runs there.
    fn refuse_if_operated(&self) -> Result<()> {
        let operators = self.kubectl([
            "get",
            "deployments",
            "--all-namespaces",
            "--selector=app.kubernetes.io/name=grove-operator",
            "--output=jsonpath={.items[?(@.spec.replicas>0)].metadata.namespace}",
        ]);
        ensure!(
            operators.is_empty(),
            "an operator runs in namespace {operators} of your cluster: use a cluster without one"
        );
        Ok(())
    }

    /// A local control plane, whatever the environment, with these flags of its API server.
    pub fn local(name: &str, nodes: u32, flags: &[&str]) -> Result<Self> {
        Self::start(name, nodes, flags, NO_ENDPOINTS.to_vec())
    }

    /// A local control plane without the garbage collector of pods: every 20 s that writes to pods
    /// that end without a node, and to pods of missing nodes.
    pub fn without_pod_collection(name: &str, nodes: u32) -> Result<Self> {
        let mut without = NO_ENDPOINTS.to_vec();
        without.push("pod-garbage-collector-controller");
        Self::start(name, nodes, &[], without)
    }

    fn start(
        name: &str,
        nodes: u32,
        flags: &[&str],
        without_controllers: Vec<&'static str>,
    ) -> Result<Self> {
        let dir = folder(name);
        wait_for_predecessor(&dir).map_err(Error::msg)?;
        let mut all_flags = audit::flags(name);
        all_flags.extend(flags.iter().copied().map(str::to_owned));
        let options = Options {
            nodes,
            dir: Some(dir.clone()),
            api_server_flags: all_flags,
            without_controllers,
            ..Options::default()
        };
        let cluster = Cluster::start(&options).context("no control plane for the e2e tests")?;
        Ok(Self {
            bin: cluster.bin().to_owned(),
            dir,
            kubeconfig: cluster.kubeconfig().to_owned(),
            local: Some(cluster),
            mirror: OnceLock::new(),
        })
    }

    /// Its watched objects.
    pub fn mirror(&self) -> &Mirror {
        self.mirror.get_or_init(|| client::mirror(&self.kubeconfig))
    }

    /// Whether all its objects are gone with this process.
    pub fn is_local(&self) -> bool {
        self.local.is_some()
    }

    /// The folder of the tools.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    /// `kubectl` or `helm` for this control plane.
    pub fn tool<A: AsRef<OsStr>>(&self, name: &str, args: impl IntoIterator<Item = A>) -> Command {
        let cache = self.dir.join("kube-cache");
        let mut command = Command::new(self.bin.join(name));
        command
            .args(args)
            // It ends before there is much garbage.
            .env("GOGC", "off")
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KUBECACHEDIR", &cache)
            .env("HELM_CACHE_HOME", cache.join("helm"))
            .env("HELM_CONFIG_HOME", cache.join("helm"))
            .env("HELM_DATA_HOME", cache.join("helm"));
        command
    }

    /// The output of kubectl, which must succeed.
    pub fn kubectl<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        printed(&mut self.tool("kubectl", args))
    }
}

/// The processes of a control plane take a second or two to end after their run.
fn wait_for_predecessor(dir: &Path) -> Result<(), String> {
    let pid = fs::read_to_string(dir.join("pid")).unwrap_or_default();
    let command = Path::new("/proc").join(pid.trim()).join("cmdline");
    wait::until(|| {
        let command = fs::read(&command).unwrap_or_default();
        let is_running = String::from_utf8_lossy(&command).contains(dir.to_str().unwrap());
        if is_running {
            return Err(format!("a control plane is running in {}", dir.display()));
        }
        Ok(())
    })
}

/// The output of the command, which must succeed.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the command with this manifest as its input.
pub fn fed(command: &mut Command, manifest: &Value) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(manifest.to_string().as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap()
}
