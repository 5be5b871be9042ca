//! Images of the programs under test: nothing is pulled.

pub mod python;

use std::path::Path;

use anyhow::Result;

use crate::cluster::Cluster;

/// Where images lie that no registry has.
pub const REGISTRY: &str = "localhost";
/// The image of busybox that every real node has, under the name that the examples use.
pub const BUSYBOX: &str = "busybox:1.37";

/// Makes the images of the operator and of its init container, with this tag, of the programs in that
/// folder, and puts them onto all nodes.
pub fn load(cluster: &Cluster, programs: &Path, tag: &str) -> Result<()> {
    ["grove-operator", "grove-initc"]
        .iter()
        .try_for_each(|program| {
            let name = format!("{REGISTRY}/{program}:{tag}");
            cluster.load_program(&name, &programs.join(program))
        })
}
