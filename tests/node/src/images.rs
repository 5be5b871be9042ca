//! Images that are made of files of this machine: nothing is pulled.

mod root;

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cluster::Cluster;
use root::Root;

/// Where images lie that no registry has.
pub const REGISTRY: &str = "localhost";
/// The image of busybox, in which all of its programs are found.
pub const BUSYBOX: &str = "busybox:1.37";

/// Makes the images of the operator, of its init container and of busybox, with their roots in `dir`,
/// and puts them onto all nodes. The first two are of the programs in `programs`, with this tag.
pub fn load(cluster: &Cluster, dir: &Path, programs: &Path, tag: &str) -> Result<()> {
    for program in ["grove-operator", "grove-initc"] {
        let root = Root::of_program(&programs.join(program), &dir.join(program))?;
        let config = json!({"Entrypoint": [format!("/{program}")]});
        let name = format!("{REGISTRY}/{program}:{tag}");
        cluster.load_image(&name, root.folder(), &config)?;
    }
    let busybox = Root::of_busybox(&dir.join("busybox"));
    let busybox = busybox.context("`apt-get install --no-install-recommends busybox-static`")?;
    cluster.load_image(BUSYBOX, busybox.folder(), &json!({"Env": ["PATH=/bin"]}))
}
