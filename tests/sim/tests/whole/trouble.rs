//! Faults of a watch.

use std::time::Duration;

use sim::service::{Event, EventType, Server};

/// The fate of the first event of a watch after the scenario began, unless another is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Trouble {
    /// The watch delivers nothing any more, and does not end.
    Silent,
    /// It arrives 20 s late, with all later events.
    Late,
    /// The connection ends in the middle of it.
    Cut,
    /// The watch reports that its version is compacted.
    ExpiredInStream,
    /// The watch ends, and its version is compacted when it begins again.
    ExpiredAtStart,
    /// That many events of operators' writes arrive, and the next never does.
    #[strum(to_string = "lost-own-{0}")]
    LostOwn(usize),
    /// That many events of other writers arrive, and the next never does.
    #[strum(to_string = "lost-foreign-{0}")]
    LostForeign(usize),
}

/// The delay of late events.
const LATE: Duration = Duration::from_secs(20);

/// Delivered events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Came {
    /// Events of operators' writes.
    pub own: usize,
    /// Events of other writers.
    pub foreign: usize,
}

/// The delivery instead of an event.
pub enum Sent {
    /// The event, after this time.
    After(Duration),
    /// This line, and the watch continues.
    Instead(String),
    /// This line, and the watch ends.
    End(String),
    /// Nothing, and the watch continues.
    Nothing,
    /// Nothing any more.
    Silence,
}

impl Trouble {
    /// Whether it affects an event after these delivered ones.
    pub fn hits(self, is_own: bool, came: &Came) -> bool {
        match self {
            Self::LostOwn(number) => is_own && came.own == number,
            Self::LostForeign(number) => !is_own && came.foreign == number,
            _ => true,
        }
    }

    /// Whether only a full list replaces the missing events.
    pub fn needs_list(self) -> bool {
        matches!(
            self,
            Self::Silent | Self::ExpiredInStream | Self::ExpiredAtStart
        )
    }

    /// The fate of the event.
    pub fn disturb(self, event: &Event, server: &Server) -> Sent {
        match self {
            Self::Silent => Sent::Silence,
            Self::Late => Sent::After(LATE),
            Self::Cut => {
                let mut half = event.line();
                half.truncate(half.len() / 2);
                Sent::End(half)
            }
            Self::ExpiredInStream => Sent::Instead(Event::expired().line()),
            Self::ExpiredAtStart => {
                let version = server.with_store(|store| store.version());
                server.configure(|options| options.compacted = version);
                Sent::End(String::new())
            }
            Self::LostOwn(_) | Self::LostForeign(_) => Sent::Nothing,
        }
    }
}

/// Whether it is about an object.
pub fn is_of_object(event: &Event) -> bool {
    !matches!(event.type_, EventType::Bookmark | EventType::Error)
}
