//! A set with start-up order, which is not built here yet.

use std::collections::BTreeSet;

use serde_json::json;

use super::adopted::{expect_gangs, uids};
use super::left::Left;
use super::running::fill;
use super::{delete_all, stopped};
use crate::harness::history::History;
use crate::harness::same;
use crate::harness::seen::name;

/// Its pods are kept running and replaced; nothing else is done, and it says so.
#[test]
fn a_set_with_start_order_keeps_running_and_nothing_more() {
    let lane = stopped("adopt-ordered");
    let ns = lane.namespace();
    let left = Left::new(&ns, 3, |set| {
        set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    });
    fill(&left);
    let before = uids(&ns.look().unwrap());
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.start_again().unwrap();
    let gangs = ["llm-0", "llm-0-model-0", "llm-0-model-1"];
    let lost = ns.until("it says what is missing", |seen| {
        let errors = &seen.one("PodCliqueSet", "llm")?["status"]["lastErrors"];
        same("code", &errors[0]["code"], &json!("ERR_NOT_IMPLEMENTED"))?;
        seen.expect_ready_pods(11)?;
        expect_gangs(seen, &gangs)?;
        Ok(name(seen.pods("llm-0-model-1-worker")[1]).to_owned())
    });
    history.catch_up(&ns);
    assert_eq!(history.slots_deleted(), BTreeSet::new());
    assert_eq!(uids(&ns.look().unwrap()), before);

    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("its pod is replaced", |seen| {
        seen.expect_ready_pods(11)?;
        let is_kept = seen.names("Pod").contains(lost.as_str());
        same("the old one is there", &is_kept, &false)?;
        expect_gangs(seen, &gangs)
    });
    delete_all(&ns);
}
