//! The words of refusals by the webhook itself.

use serde_json::json;
use testkit::good_set::good;
use webhook::answers::Hook;
use webhook::review::Answer;

use super::{clique, open, strict, with};
use crate::questions::{PODCLIQUES, SETS, ask, create, delete};

pub(super) fn words(answer: Answer) -> (u16, &'static str, String) {
    match answer {
        Answer::Refused {
            code,
            reason,
            message,
        } => (code, reason, message),
        _ => panic!("{answer:?}"),
    }
}

#[test]
fn an_undecodable_field_is_refused_with_its_path() {
    let place = "/spec/template/cliques/1/spec/replicas";
    let question = create(SETS, &with(good(), place, json!("three")));
    let (code, reason, text) = words(ask(&open(), Hook::ValidateSet, &question));
    assert_eq!((code, reason), (400, "BadRequest"));
    let begin = "the PodCliqueSet cannot be read: spec.template.cliques[1].spec.replicas: ";
    assert!(text.starts_with(begin), "{text}");
    assert!(text.ends_with("; correct this field"), "{text}");
}

#[test]
fn a_refused_user_gets_a_remedy() {
    let question = delete(PODCLIQUES, &clique(["PodCliqueSet", "serve"]));
    let (code, reason, text) = words(ask(&strict(), Hook::Authorize, &question));
    assert_eq!((code, reason), (403, "Forbidden"));
    assert!(text.contains("change the PodCliqueSet instead"), "{text}");
}
