//! Objects with an invalid field.

use serde_json::{Value, json};

use crate::faults::{runs, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::proxy::{Fault, Shown};
use crate::harness::same;
use crate::harness::seen::name;

#[test]
fn an_object_that_cannot_be_read_is_left_alone_and_holds_no_other_up() {
    let lane = Lane::start("unreadable");
    let ns = lane.namespace();
    ns.apply(&service("bad"));
    ns.until("it runs", |seen| runs(seen, "bad", 3, 2));
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    // From the start, in lists and in watches: of each kind the objects of one set.
    lane.operator.kill();
    let spoil = Fault::edit(|_, object| Shown::As(spoiled(object)));
    lane.proxy.disturb(move |asked| {
        let is_read = !asked.is_write();
        spoil.clone().when(is_read)
    });
    lane.operator.start_again().unwrap();
    ns.apply(&service("good"));
    ns.kubectl(&["scale", "pclq/bad-0-a", "--replicas=4"]);
    ns.until("the other runs", |seen| runs(seen, "good", 3, 2));
    ns.kubectl(&["scale", "pclq/good-0-a", "pcsg/good-0-g", "--replicas=4"]);
    ns.until("the other is scaled", |seen| runs(seen, "good", 4, 4));
    let metrics = lane.operator.get("/metrics").unwrap().1;
    for kind in ["PodCliqueSet", "PodClique", "Pod", "PodGang", "Service"] {
        let gauge = format!("grove_unreadable_objects{{kind=\"{kind}\"}} ");
        let sample = metrics.lines().find(|sample| sample.starts_with(&gauge));
        let is_counted = sample.is_some_and(|sample| !sample.ends_with(" 0"));
        assert!(is_counted, "{gauge}: {metrics}");
    }
    lane.operator.wait_until_ready().unwrap();
    lane.expect_alive();
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "{history:?}");

    // Corrected, and reported at once.
    lane.proxy.disturb_no_more();
    lane.proxy.cut_watches();
    ns.kubectl(&[
        "annotate",
        "pcs,pcsg,pclq,pg,pods,services",
        "--all",
        "example.com/is=right",
    ]);
    ns.until("both run", |seen| {
        runs(seen, "good", 4, 4)?;
        runs(seen, "bad", 4, 2)?;
        let metrics = lane.operator.get("/metrics").map_err(|e| e.to_string())?.1;
        let gauges = metrics
            .lines()
            .filter(|l| l.starts_with("grove_unreadable_objects{"));
        let unreadable: Vec<&str> = gauges.filter(|line| !line.ends_with(" 0")).collect();
        same("unreadable", &unreadable, &Vec::new())
    });
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "{history:?}");
    assert!(history.slots_held_twice().is_empty(), "{history:?}");
}

#[test]
fn a_child_that_cannot_be_read_is_named_by_its_set() {
    let lane = Lane::start("unreadable-child");
    let ns = lane.namespace();
    ns.apply(&service("x"));
    ns.until("it runs", |seen| runs(seen, "x", 3, 2));
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    lane.operator.kill();
    let spoil = Fault::edit(|_, mut object| {
        if name(&object) == "x-0-a" {
            object["spec"]["replicas"] = json!("many");
        }
        Shown::As(object)
    });
    lane.proxy
        .disturb(move |asked| spoil.clone().when(!asked.is_write()));
    lane.operator.start_again().unwrap();
    ns.apply(&service("good"));
    ns.kubectl(&["scale", "pclq/x-0-a", "--replicas=4"]);
    ns.until("the set names the problem, the other runs", |seen| {
        runs(seen, "good", 3, 2)?;
        let errors = &seen.one("PodCliqueSet", "x")?["status"]["lastErrors"];
        let says = errors.to_string();
        ["create PodClique x-0-a: ", "cannot be read: ", "correct it"]
            .iter()
            .all(|words| says.contains(words))
            .then_some(())
            .ok_or(says)
    });
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "{history:?}");

    lane.proxy.disturb_no_more();
    ns.kubectl(&["annotate", "pclq", "x-0-a", "example.com/is=right"]);
    lane.proxy.cut_watches();
    ns.until("it continues", |seen| {
        let errors = &seen.one("PodCliqueSet", "x")?["status"]["lastErrors"];
        same("errors", errors, &Value::Null)?;
        runs(seen, "x", 4, 2)
    });
    lane.expect_alive();
    history.catch_up(&ns);
    assert!(history.slots_deleted().is_empty(), "{history:?}");
    assert!(history.slots_held_twice().is_empty(), "{history:?}");
}

/// Objects of the bad set have numbers instead of texts, and the other way round.
fn spoiled(mut object: Value) -> Value {
    if name(&object).starts_with("bad") {
        object["spec"]["replicas"] = json!("many");
        object["spec"]["podgroups"] = json!(7);
        object["spec"]["schedulingGates"] = json!(true);
        object["spec"]["clusterIP"] = json!({});
    }
    object
}
