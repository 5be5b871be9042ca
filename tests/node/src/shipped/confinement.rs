//! The kernel's limits on a process in a container.

use anyhow::{Result, ensure};

use crate::cluster::Cluster;

/// Prints `/proc/PID/status` and the mount of `/` of each process of that name.
const SCRIPT: &str = r#"
for process in /proc/[0-9]*; do
  [ "$(cat "$process/comm" 2> /dev/null)" = "$0" ] || continue
  cat "$process/status"
  grep -m 1 ' / / ' "$process/mountinfo" | sed 's/^/Root: /'
done"#;

/// A process, and the kernel's facts about it.
#[derive(Debug)]
pub struct Confinement {
    /// Real, effective, saved and file system uid.
    uids: Vec<String>,
    /// Effective, permitted, bounding, inheritable and ambient capabilities, in hexadecimal.
    capabilities: Vec<String>,
    has_seccomp_filter: bool,
    gets_no_privileges: bool,
    has_read_only_root: bool,
    /// Its resident memory.
    pub resident_kib: u64,
}

impl Confinement {
    /// The facts of each process with that name on those nodes; at least one has to exist.
    pub(super) fn of(cluster: &Cluster, nodes: &[&str], name: &str) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for node in nodes {
            let printed = cluster.in_node(node, &["sh", "-c", SCRIPT, name])?;
            found.extend(printed.split("Name:").skip(1).map(Self::read));
        }
        ensure!(!found.is_empty(), "{name} does not run on {nodes:?}");
        Ok(found)
    }

    fn read(text: &str) -> Self {
        let words = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            let words = line.unwrap_or_default().split_whitespace();
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        let is = |key: &str, value: &str| words(key).first().is_some_and(|is| is == value);
        let sets = ["CapEff:", "CapPrm:", "CapBnd:", "CapInh:", "CapAmb:"];
        Self {
            uids: words("Uid:"),
            capabilities: sets.into_iter().flat_map(words).collect(),
            has_seccomp_filter: is("Seccomp:", "2"),
            gets_no_privileges: is("NoNewPrivs:", "1"),
            has_read_only_root: words("Root:")
                .iter()
                .any(|word| word.split(',').any(|option| option == "ro")),
            resident_kib: words("VmRSS:")
                .first()
                .and_then(|kib| kib.parse().ok())
                .unwrap_or_default(),
        }
    }

    /// Permissions that it should not have.
    pub(super) fn freedoms(&self) -> Vec<&'static str> {
        let is_root = self.uids.is_empty() || self.uids.iter().any(|uid| uid == "0");
        let has_capability = self.capabilities.is_empty()
            || self
                .capabilities
                .iter()
                .any(|set| set.chars().any(|digit| digit != '0'));
        let freedoms = [
            (is_root, "runs as root"),
            (has_capability, "has capabilities"),
            (!self.has_seccomp_filter, "has no seccomp filter"),
            (!self.gets_no_privileges, "may get privileges"),
            (!self.has_read_only_root, "may write to its root"),
        ];
        let is_so = freedoms.into_iter().filter(|(is_so, _)| *is_so);
        is_so.map(|(_, freedom)| freedom).collect()
    }
}
