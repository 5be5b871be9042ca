//! The program of `examples/train-and-resume`, with its ranks as processes of this machine. A row
//! of tests/node runs it with pods.

mod ranks;

use ranks::{Attempt, Rank, Ranks};

/// Exit code after SIGTERM.
const STOPPED: i32 = 143;
/// Exit code of a rank that lost a peer and was not stopped in time.
const LOST_PEER: i32 = 75;

#[test]
fn ranks_agree_on_the_result_of_one_rank_with_their_samples() {
    let ranks = Ranks::of(4);
    let attempt = ranks.start(0);
    assert_eq!(attempt.codes(), [Some(0); 4]);
    let found = attempt.found(Rank::LEADER);
    assert!(attempt.all().all(|rank| attempt.found(rank) == found));
    let should = [3.0, -2.0, 0.5, -1.0];
    let is_near = |(is, should): (&f64, &f64)| (is - should).abs() < 0.1;
    assert!(found.iter().zip(&should).all(is_near), "{found:?}");
}

#[test]
fn an_attempt_continues_from_the_checkpoint_of_the_one_before() {
    let undisturbed = Ranks::of(4);
    let undisturbed = undisturbed.start(0);
    let ranks = Ranks::slowly(4);
    let first = ranks.start(0);
    first.wait_for(Rank::LEADER, "step 20: ");
    first.stop(Rank(2));
    assert_eq!(first.code(Rank(2)), Some(STOPPED));
    // Rank 3 receives from it. Rank 1 sends to it, into a buffer, and may notice nothing for as long
    // as rank 3 waits to be stopped.
    first.wait_for(Rank(3), "waiting to be stopped");
    let others = [Rank::LEADER, Rank(1), Rank(3)];
    for rank in others {
        first.stop(rank);
    }
    assert_eq!(others.map(|rank| first.code(rank)), [Some(STOPPED); 3]);
    let second = ranks.start(1);
    assert_eq!(second.codes(), [Some(0); 4]);
    let begins = second.step_at_start();
    assert!(begins >= 20, "it began at step {begins}");
    assert_eq!(undisturbed.codes(), [Some(0); 4]);
    let found = |attempt: &Attempt<'_>| attempt.found(Rank::LEADER);
    assert_eq!(found(&second), found(&undisturbed));
}

#[test]
fn a_rank_that_is_not_stopped_reports_the_peer_that_it_lost() {
    let ranks = Ranks::slowly(2).with("LOST_PEER_SECONDS", "0");
    let attempt = ranks.start(0);
    attempt.wait_for(Rank::LEADER, "step 10: ");
    attempt.kill(Rank(1));
    assert_eq!(attempt.code(Rank::LEADER), Some(LOST_PEER));
    attempt.wait_for(Rank::LEADER, "lost rank 1: ");
}

/// A rank of attempt 0 during attempt 1 takes no part: `docs/training.md`, "Two of a rank".
#[test]
fn a_rank_of_an_earlier_attempt_is_refused() {
    let ranks = Ranks::of(2).with("RENDEZVOUS_SECONDS", "60");
    let old = ranks.start_rank(0, Rank(1));
    let leader = ranks.start_rank(1, Rank::LEADER);
    let refused = "rank 1 is of attempt 1f0c3b9a-0, this is 1f0c3b9a-1";
    leader.wait_for(Rank::LEADER, &format!("refused: {refused}"));
    old.wait_for(Rank(1), &format!("rank 0 refuses: {refused}"));
    let new = ranks.start_rank(1, Rank(1));
    assert_eq!(leader.code(Rank::LEADER), Some(0));
    assert_eq!(new.code(Rank(1)), Some(0));
    assert!(old.is_running(Rank(1)), "{}", old.log(Rank(1)));
}
