//! The user's MNNVL groups.

use serde_json::{Value, json};

use crate::Rng;
use crate::nvlink::GROUP;

/// Writes groups into the manifest: the clique `work` uses GPUs, and sometimes the others do, of which
/// one may be left out.
pub(super) fn write(manifest: &mut Value, rng: &mut Rng) {
    manifest["metadata"]["annotations"]["grove.io/mnnvl-group"] = json!(GROUP);
    let (for_all, leaves_first_out) = (rng.chance(500), rng.chance(300));
    let cliques = manifest["spec"]["template"]["cliques"].as_array_mut();
    for (i, clique) in cliques.into_iter().flatten().enumerate() {
        let is_work = clique["name"] == "work";
        if is_work || for_all {
            let main = &mut clique["spec"]["podSpec"]["containers"][0];
            main["resources"]["limits"]["nvidia.com/gpu"] = json!("1");
        }
        if i == 0 && !is_work && leaves_first_out {
            clique["annotations"]["grove.io/mnnvl-group"] = json!("none");
        }
    }
}
