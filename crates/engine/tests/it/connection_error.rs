//! The cause of an API server that cannot be reached, with a remedy.

use std::time::Duration;

use engine::connection_error::explain;
use engine::log_limit::{AGAIN_AFTER, LogLimit};
use kube::{Client, Config};
use tokio::net::TcpListener;

/// The text for a server at this address.
async fn said_of(server: &str) -> String {
    let mut config = Config::new(server.parse().unwrap());
    config.connect_timeout = Some(Duration::from_secs(10));
    config.default_retry = false;
    let client = Client::try_from(config).unwrap();
    explain(&client.apiserver_version().await.unwrap_err())
}

/// A port without a listener.
async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn a_server_that_is_away_refuses_the_connection() {
    let said = said_of(&format!("http://127.0.0.1:{}", free_port().await)).await;
    assert!(said.contains("Connection refused"), "{said}");
    assert!(
        said.ends_with("is the API server up, and is this its port?"),
        "{said}"
    );
}

/// Like a load balancer without an API server behind it.
#[tokio::test]
async fn a_connection_closed_at_once_is_distinguished_from_a_refused_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            drop(connection);
        }
    });
    let said = said_of(&format!("http://{address}")).await;
    let remedy = "is the API server up, and does a proxy in front of it close connections?";
    assert!(said.ends_with(remedy), "{said}");
}

#[tokio::test]
async fn a_name_that_nobody_knows_is_named() {
    let said = said_of("http://nowhere.invalid:6443").await;
    assert!(said.contains("dns error"), "{said}");
    assert!(
        said.ends_with("check the server in the kubeconfig, and DNS"),
        "{said}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lasting_problem_is_logged_twice_a_minute_by_all_together() {
    let said = LogLimit::default();
    let news = (0..8).filter(|_| said.is_news("refused")).count();
    assert_eq!(news, 1);
    assert!(said.is_news("another"));
    tokio::time::advance(AGAIN_AFTER).await;
    assert!(said.is_news("refused"));
}
