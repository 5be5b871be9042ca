//! `grove-operator probe`: successes, and the text of a failure.

use http::Uri;
use operator::probe::probe;
use rstest::rstest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Serves one answer; returns the request.
async fn serve(listener: TcpListener, answer: &'static str) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut asked = vec![0; 4096];
    let length = stream.read(&mut asked).await.unwrap();
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8_lossy(&asked[..length]).into_owned()
}

async fn ask(answer: &'static str) -> (String, Result<String, String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url: Uri = format!("http://{address}/readyz?verbose").parse().unwrap();
    let (asked, answered) = tokio::join!(serve(listener, answer), probe(&url));
    (asked, answered.map_err(|error| format!("{error:#}")))
}

#[tokio::test]
async fn an_answer_of_success_is_printed() {
    let (asked, answered) = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    assert!(
        asked.starts_with("GET /readyz?verbose HTTP/1.1\r\n"),
        "{asked}"
    );
    assert_eq!(answered, Ok("ok".to_owned()));
}

#[rstest]
#[case::not_ready(
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\npods",
    "503 Service Unavailable: pods"
)]
#[case::nothing("", "connection")]
#[tokio::test]
async fn everything_else_says_why(#[case] answer: &'static str, #[case] words: &str) {
    let error = ask(answer).await.1.unwrap_err();
    assert!(
        error.starts_with("http://127.0.0.1:") && error.contains(words),
        "{error}"
    );
}

#[rstest]
#[case::https("https://127.0.0.1:1/", "only plain HTTP")]
#[case::no_host("/readyz", "no host")]
#[case::nobody_listens("http://127.0.0.1:1/", "connect")]
#[tokio::test]
async fn a_page_that_cannot_be_requested_reports_the_reason(
    #[case] url: &str,
    #[case] words: &str,
) {
    let error = format!("{:#}", probe(&url.parse().unwrap()).await.unwrap_err());
    assert!(error.contains(words), "{error}");
}
