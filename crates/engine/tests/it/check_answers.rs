//! How long an answer about a template holds (docs/semantics.md §14.1).

use domain::plan::{CheckAnswer, CheckedTemplate};
use engine::caches::CheckAnswers;
use testkit::builders::after;

fn template(hash: &str) -> CheckedTemplate {
    CheckedTemplate {
        set_uid: "uid-1".to_owned(),
        clique: "leader".to_owned(),
        hash: hash.to_owned(),
    }
}

fn refused() -> CheckAnswer {
    CheckAnswer::Refused("no such account".to_owned())
}

/// The seconds after which the question is repeated, if this answer comes at each of these times.
fn waits(answers: &CheckAnswers, template: &CheckedTemplate, times: &[i64]) -> Vec<Option<i64>> {
    let wait = |time: &i64| {
        answers.insert(template, refused(), after(*time));
        let repeat_at = answers.get(template).unwrap().repeat_at;
        repeat_at.map(|at| at.duration_since(after(*time)).as_secs())
    };
    times.iter().map(wait).collect()
}

#[test]
fn a_refused_template_is_asked_about_less_and_less_often_until_it_is_another() {
    let answers = CheckAnswers::default();
    let found = waits(&answers, &template("a"), &[0, 5, 25, 85, 145]);
    assert_eq!(found, [5, 20, 60, 60, 60].map(Some));
    assert_eq!(waits(&answers, &template("b"), &[200]), [Some(5)]);
    assert_eq!(answers.get(&template("a")), None);
}

#[test]
fn an_accepted_template_is_asked_about_once() {
    let answers = CheckAnswers::default();
    answers.insert(&template("a"), refused(), after(0));
    answers.insert(&template("a"), CheckAnswer::Accepted, after(5));
    let known = answers.get(&template("a")).unwrap();
    assert_eq!(known.repeat_at, None);
    answers.clear("uid-1");
    assert_eq!(answers.get(&template("a")), None);
}
