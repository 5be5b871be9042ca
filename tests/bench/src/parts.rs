//! Resource usage of the control plane's parts.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::process;

/// Names of their processes.
pub const NAMES: [&str; 5] = [
    "kube-apiserver",
    "etcd",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
];

/// The processes of a control plane, in the order of [`NAMES`].
#[derive(Clone, Debug)]
pub struct Parts(Vec<u32>);

/// CPU seconds of each of them.
#[derive(Clone, Debug, Default)]
pub struct Seconds(pub Vec<f64>);

impl Seconds {
    /// CPU seconds of all of them.
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl Parts {
    /// The processes under the supervisor of the cluster in this folder.
    pub fn find(dir: &Path) -> Result<Self> {
        let file = dir.join("pid");
        let supervisor = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let running = process::children(supervisor.trim().parse()?)?;
        let find = |name: &&str| {
            let pid = running.get(*name).copied();
            pid.with_context(|| format!("{name} does not run; {running:?} do"))
        };
        Ok(Self(NAMES.iter().map(find).collect::<Result<_>>()?))
    }

    /// Their usage so far.
    pub fn seconds(&self) -> Result<Seconds> {
        let seconds = self.0.iter().map(|pid| process::cpu_seconds(*pid));
        Ok(Seconds(seconds.collect::<Result<_>>()?))
    }
}

impl Seconds {
    /// Their usage since then.
    #[must_use]
    pub fn since(&self, then: &Self) -> Self {
        let both = self.0.iter().zip(&then.0);
        Self(both.map(|(now, then)| now - then).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Seconds;

    #[test]
    fn usage_since_is_the_difference_of_each() {
        let then = Seconds(vec![1.0, 2.0, 3.0]);
        let now = Seconds(vec![1.5, 2.0, 5.0]);
        let used = now.since(&then).0;
        assert_eq!(
            used.iter().map(f64::to_string).collect::<Vec<_>>(),
            ["0.5", "0", "2"]
        );
    }
}
