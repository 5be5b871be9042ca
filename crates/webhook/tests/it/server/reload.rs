//! Certificates that are replaced while requests arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::{sleep, timeout};
use webhook::certificates::{Serving, make};
use webhook::server::Bounds;

use super::caller::{HOME, connect, whole};
use super::running::{Running, pair};
use super::{PATIENCE, VALIDATE, good_question, is_allowed};
use crate::pairs::{names, now, secret};

const CALLERS: usize = 4;
const CHANGES: usize = 20;

#[tokio::test]
async fn no_question_fails_while_certificates_are_replaced() {
    let server = Running::start(Bounds::default());
    let pairs: Vec<_> = (0..CHANGES).map(|_| pair()).collect();
    let mut authorities = server.authority.clone();
    authorities.extend(pairs.iter().map(|(_, authority)| authority.as_str()));
    let (is_over, asked) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
    );
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (is_over, asked) = (is_over.clone(), asked.clone());
            let (address, authorities) = (server.address, authorities.clone());
            tokio::spawn(async move {
                let mut kept = connect(HOME, address, &authorities).await.unwrap();
                while !is_over.load(Ordering::Relaxed) {
                    let mut new = connect(HOME, address, &authorities).await.unwrap();
                    for connection in [&mut kept, &mut new] {
                        let answer = connection.ask(VALIDATE, whole(good_question())).await;
                        assert!(is_allowed(&answer.unwrap().1));
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    for (serving, _) in &pairs {
        let before = asked.load(Ordering::Relaxed);
        server.identity.send_replace(Some(serving.clone()));
        let is_asked = async {
            while asked.load(Ordering::Relaxed) == before {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, is_asked).await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.unwrap();
    }
    let last = connect(HOME, server.address, &authorities).await.unwrap();
    assert_eq!(last.certificate, pairs[CHANGES - 1].0.chain[0]);
}

#[tokio::test]
async fn a_new_connection_is_shown_the_new_certificate() {
    let server = Running::start(Bounds::default());
    let (serving, authority) = pair();
    let both = server.authority.clone() + &authority;
    server.identity.send_replace(Some(serving.clone()));
    let is_shown = async {
        loop {
            let connection = connect(HOME, server.address, &both).await.unwrap();
            if connection.certificate == serving.chain[0] {
                return;
            }
        }
    };
    timeout(PATIENCE, is_shown).await.unwrap();
    assert!(connect(HOME, server.address, &authority).await.is_ok());
    assert!(server.connect_from(HOME).await.is_err());
}

#[tokio::test]
async fn the_expiry_of_the_served_pair_is_shown() {
    let server = Running::start(Bounds::default());
    server.connect().await;
    let end = &server.metrics.certificate_not_after;
    let begin = &server.metrics.certificate_not_before;
    let first = server.identity.borrow().clone().unwrap();
    assert_eq!(end.get(), first.not_after.as_second());
    assert_eq!(begin.get(), first.not_before.as_second());
    let later = make(&names(), SignedDuration::from_hours(9), now()).unwrap();
    let later = Serving::read(&secret(&later)).unwrap();
    let expected = later.not_after.as_second();
    server.identity.send_replace(Some(Arc::new(later)));
    let is_shown = async {
        while end.get() != expected {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, is_shown).await.unwrap();
}

#[tokio::test]
async fn the_served_pair_stays_without_a_new_one() {
    let server = Running::start(Bounds::default());
    server.connect().await;
    server.identity.send_replace(None);
    sleep(Duration::from_millis(50)).await;
    let mut connection = server.connect().await;
    let answer = connection.ask(VALIDATE, whole(good_question())).await;
    assert!(is_allowed(&answer.unwrap().1));
}
