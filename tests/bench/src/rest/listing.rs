//! Lists of the operator's kinds, as it requests them: in pages, with the same labels.
//!
//! Bodies are read and parsed once as JSON; no object is kept.

use std::time::Instant;

use anyhow::Result;
use futures::future::try_join_all;
use kube::Client;
use serde::Deserialize;

use crate::calls;

/// The page size of kube's watcher.
const PAGE: u32 = 500;
const OF_OPERATOR: &str = "&labelSelector=app.kubernetes.io%2Fmanaged-by%3Dgrove-operator";

/// The watched kinds, without those of other schedulers.
const KINDS: [(&str, &str); 9] = [
    ("/apis/grove.io/v1alpha1/podcliquesets", ""),
    ("/apis/grove.io/v1alpha1/podcliquescalinggroups", ""),
    ("/apis/grove.io/v1alpha1/podcliques", ""),
    ("/apis/scheduler.grove.io/v1alpha1/podgangs", ""),
    ("/api/v1/pods", OF_OPERATOR),
    ("/api/v1/services", OF_OPERATOR),
    ("/apis/autoscaling/v2/horizontalpodautoscalers", OF_OPERATOR),
    ("/api/v1/nodes", ""),
    ("/apis/grove.io/v1alpha1/clustertopologybindings", ""),
];

/// Seconds of lists of one kind after the other.
pub async fn in_turn(client: &Client) -> Result<f64> {
    let began = Instant::now();
    for kind in KINDS {
        list(client, kind).await?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// Seconds of lists of all kinds at once.
pub async fn at_once(client: &Client) -> Result<f64> {
    let began = Instant::now();
    try_join_all(KINDS.map(|kind| list(client, kind))).await?;
    Ok(began.elapsed().as_secs_f64())
}

/// One page after the other.
async fn list(client: &Client, (path, selector): (&str, &str)) -> Result<()> {
    let mut after = String::new();
    loop {
        let page = format!("{path}?limit={PAGE}{selector}{after}");
        let page: Page = calls::send(client, calls::get(&page)?).await?;
        match page.metadata.more {
            Some(more) if !more.is_empty() => after = format!("&continue={more}"),
            _ => return Ok(()),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Page {
    metadata: PageMetadata,
}

#[derive(Debug, Deserialize)]
struct PageMetadata {
    #[serde(rename = "continue")]
    more: Option<String>,
}
