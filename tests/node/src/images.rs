//! Images of the programs under test: no image is pulled.

pub mod python;

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cluster::Cluster;

/// Registry name of images that are in no registry.
pub const REGISTRY: &str = "localhost";
/// The image of busybox that every real node has, under the name that the examples use.
pub const BUSYBOX: &str = "busybox:1.37";
/// An image without a command.
pub const WITHOUT_COMMAND: &str = "localhost/without-command:1";

/// Makes the images of the operator and of its init container, with this tag, from the programs in
/// that folder, and loads them into all nodes, with [`WITHOUT_COMMAND`].
pub fn load(cluster: &Cluster, programs: &Path, tag: &str) -> Result<()> {
    for program in ["grove-operator", "grove-initc"] {
        let name = format!("{REGISTRY}/{program}:{tag}");
        cluster.load_program(&name, &programs.join(program))?;
    }
    let empty = tempfile::tempdir().context("cannot make a temporary folder")?;
    cluster.load_image(WITHOUT_COMMAND, empty.path(), &json!({}))
}
