//! The one cluster of a run, with the product installed on it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result, anyhow, bail};
use node_tests::cluster::Cluster;
use node_tests::{images, programs, release};

use super::client::Connection;
use super::wait;

static SHARED: OnceLock<Site> = OnceLock::new();

/// A cluster of two nodes with two operators and their webhook.
pub struct Site {
    pub cluster: Cluster,
    pub connection: Connection,
    /// Keeps other runs of this checkout away.
    _lock: File,
}

impl Site {
    /// Starts it, before the first row.
    pub fn start() -> Result<()> {
        let programs = programs::folder()?;
        let (dir, lock) = folder()?;
        let begun = Instant::now();
        let cluster = Cluster::start(&dir.join("cluster"), &programs)?;
        eprintln!("two nodes are Ready after {:.1?}", begun.elapsed());
        let tag = release::version()?;
        images::load(&cluster, &programs, &tag)?;
        let begun = Instant::now();
        install(&cluster, &[])?;
        eprintln!(
            "two operators are Ready {:.1?} after `helm install`",
            begun.elapsed()
        );
        let connection = Connection::open(cluster.kubeconfig()).map_err(Error::msg)?;
        let site = Self {
            cluster,
            connection,
            _lock: lock,
        };
        SHARED.set(site).map_err(|_| anyhow!("started twice"))
    }

    /// The site of this run.
    pub fn shared() -> &'static Self {
        SHARED
            .get()
            .expect("the runner starts it before the first row")
    }

    /// Ends it, once no namespace of a row is left.
    pub fn end() -> Result<()> {
        let site = Self::shared();
        let left = wait::within(Duration::from_mins(1), || site.expect_no_namespace());
        site.cluster.stop()?;
        left.map_err(Error::msg)
    }

    fn expect_no_namespace(&self) -> Result<(), String> {
        let names = self.connection.namespaces()?;
        let of_rows = |name: &String| name.starts_with(super::namespace::PREFIX);
        let left: Vec<_> = names.into_iter().filter(of_rows).collect();
        left.is_empty()
            .then_some(())
            .ok_or_else(|| format!("namespaces that do not end: {left:?}"))
    }
}

/// Installs or upgrades the product with these values; all others are the defaults.
pub fn install(cluster: &Cluster, values: &[&str]) -> Result<String> {
    let values: Vec<_> = values.iter().map(|value| (*value).to_owned()).collect();
    release::install(cluster, &values)
}

/// A new folder for the state of this run, and a lock against other runs.
fn folder() -> Result<(PathBuf, File)> {
    let local = programs::checkout().join(".localcluster");
    fs::create_dir_all(&local).with_context(|| local.display().to_string())?;
    let lock = local.join("node-tests.lock");
    let lock = File::create(&lock).with_context(|| format!("{}: as root", lock.display()))?;
    if lock.try_lock().is_err() {
        bail!("another run of them is under way in this checkout: wait for its end");
    }
    let dir = local.join("node-tests");
    if dir.exists() {
        fs::remove_dir_all(&dir).with_context(|| dir.display().to_string())?;
    }
    fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
    Ok((dir, lock))
}
