//! Questions to the API server that change nothing.

use kube::Resource;
use kube::api::PostParams;
use serde::de::DeserializeOwned;

use super::{Answer, Requests, What, path};

impl Requests {
    /// POST of this JSON as a dry run: the API server validates it, asks its webhooks, and creates
    /// nothing. The answer is decoded to `R`.
    pub async fn dry_run_create<R>(&self, namespace: &str, body: Vec<u8>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let params = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        let request = path::<R>(namespace).create(&params, body);
        let what = What::of::<R>("check", namespace);
        self.write_object(what, request).await
    }
}
