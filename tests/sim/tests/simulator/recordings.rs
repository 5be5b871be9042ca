//! The operator's words and actions about pods of real kubelets: each recording is replayed, status
//! by status, to the operator's rules, and written as a story, `snapshots/<recording>.snap`.
//!
//! Read the difference when a story changes: each sentence has to be true at its step.

mod cluster;
mod pod;
mod replay;
mod said;
mod situation;

use testkit::recordings::{self, Recording};

use replay::replay;
use situation::Situation;

/// A moment, and its lines.
type Moment = (String, Vec<String>);

/// The story without a terminationDelay, and the one with a delay if it differs.
fn tell(recording: &Recording) -> String {
    let about = &recording.about;
    let head = format!(
        "{}\n{}, restartPolicy {}\n",
        about.about, about.workload, about.restart_policy
    );
    let plain = replay(recording, &Situation::of(recording));
    let delayed = replay(recording, &Situation::of(recording).delayed());
    let other = delayed.iter().filter(|moment| !plain.contains(moment));
    [
        head,
        text(&plain),
        "with a terminationDelay of 10 s, otherwise:".to_owned(),
        text(other),
    ]
    .join("\n")
}

fn text<'a>(moments: impl IntoIterator<Item = &'a Moment>) -> String {
    let lines = moments
        .into_iter()
        .flat_map(|(moment, said)| std::iter::once(moment.clone()).chain(said.iter().cloned()));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.push('\n');
    text
}

#[test]
fn each_recording_has_its_story() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("recordings/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let all = recordings::all();
    assert!(all.len() >= 66, "recordings are missing");
    for recording in all {
        let story = tell(&recording);
        settings.bind(|| insta::assert_snapshot!(recording.name.clone(), story));
    }
}
