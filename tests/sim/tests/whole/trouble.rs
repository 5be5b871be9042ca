//! What goes wrong with a watch.

use std::time::Duration;

use sim::service::{Event, EventType, Server};

/// What becomes of the first event of a watch after the scenario began, unless another is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Trouble {
    /// Nothing comes of this watch any more, nor does it end.
    Silent,
    /// It comes 20 s late, and all that follow with it.
    Late,
    /// The connection ends in the middle of it.
    Cut,
    /// The watch says that its version is compacted.
    ExpiredInStream,
    /// The watch ends, and its version is compacted when it is begun again.
    ExpiredAtStart,
    /// So many come of what operators themselves did, and the next never does.
    #[strum(to_string = "lost-own-{0}")]
    LostOwn(usize),
    /// So many come of what others did, and the next never does.
    #[strum(to_string = "lost-foreign-{0}")]
    LostForeign(usize),
}

/// How late what is late comes.
const LATE: Duration = Duration::from_secs(20);

/// Events that came.
#[derive(Clone, Copy, Debug, Default)]
pub struct Came {
    /// Of what operators did.
    pub own: usize,
    /// Of what others did.
    pub foreign: usize,
}

/// What a watch sends instead of an event.
pub enum Sent {
    /// The event, after this time.
    After(Duration),
    /// This, and the watch goes on.
    Instead(String),
    /// This, and the watch ends.
    End(String),
    /// Nothing, and the watch goes on.
    Nothing,
    /// Nothing any more.
    Silence,
}

impl Trouble {
    /// Whether it hits an event before which so many came of what operators and what others did.
    pub fn hits(self, is_own: bool, came: &Came) -> bool {
        match self {
            Self::LostOwn(number) => is_own && came.own == number,
            Self::LostForeign(number) => !is_own && came.foreign == number,
            _ => true,
        }
    }

    /// Whether only a full list tells what the watch has not.
    pub fn needs_list(self) -> bool {
        matches!(
            self,
            Self::Silent | Self::ExpiredInStream | Self::ExpiredAtStart
        )
    }

    /// What becomes of the event.
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

/// Whether it tells of an object.
pub fn is_of_object(event: &Event) -> bool {
    !matches!(event.type_, EventType::Bookmark | EventType::Error)
}
