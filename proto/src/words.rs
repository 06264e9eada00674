//! What went wrong, in words on one line, as logs have it and messages carry it.

use std::any::Any;
use std::error::Error;

use tonic::Status;

/// What is said of a connection of which nothing is known but that it ended.
pub const BROKE: &str = "the connection broke";

/// What libraries and the system say of that, in small letters: which of them is a matter of chance.
const ENDED: [&str; 7] = [
    "close_notify",
    "broken pipe",
    "connection reset",
    "connection closed",
    "connection was not ready",
    "connection abort",
    "unexpected end of file",
];

/// Returns what an error says and then its causes; a cause that has been told already is left out.
#[must_use]
pub fn of_error(error: &(dyn Error + 'static)) -> String {
    and_causes(error.to_string(), error)
}

/// Returns what a status says and then its causes, as [`of_error`] does; as text a status shows its insides.
#[must_use]
pub fn of_status(status: &Status) -> String {
    let text = match status.message() {
        "" => status.code().to_string(),
        message => message.to_owned(),
    };
    and_causes(text, status)
}

/// Returns what a status says of how a connection was lost, [`in_short`] where that was found on this side.
#[must_use]
pub fn of_loss(status: &Status) -> String {
    let text = of_status(status);
    if status.source().is_some() { in_short(text) } else { text }
}

/// Returns `cause` if it says more of a connection than that it ended, which is told in one way.
#[must_use]
pub fn in_short(cause: String) -> String {
    let small = cause.to_lowercase();
    let has_ended = ENDED.iter().any(|&words| small.contains(words));
    if has_ended { BROKE.to_owned() } else { cause }
}

/// Returns what was said of a certificate with dates in place of seconds since 1970.
pub(crate) fn with_dates(text: &str) -> String {
    let text = text.replacen(" (UNIX)", "", 1);
    let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
    for place in 1..words.len() {
        let is_announced = ["time", "after", "before"].contains(&&*words[place - 1]);
        let (number, comma) = match words[place].strip_suffix(',') {
            Some(number) => (number, ","),
            None => (&*words[place], ""),
        };
        if is_announced && let Some(date) = number.parse().ok().and_then(date) {
            words[place] = format!("{date}{comma}");
        }
    }
    words.join(" ")
}

/// Returns the date and the time of a moment in seconds since 1970, unless that is tens of thousands of years away.
/// The days are counted in years that begin in March, so that the day of a leap year is the last one (H. Hinnant,
/// `civil_from_days`).
fn date(seconds: u64) -> Option<String> {
    let (days, second) = (u32::try_from(seconds / 86_400).ok()?, seconds % 86_400);
    let days = days.checked_add(719_468).filter(|&days| days < 36_524_250)?;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let day = day - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = 400 * era + year + u32::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC"))
}

/// Returns what a panic has said.
#[must_use]
pub fn of_panic(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Returns `text`, which is what `error` says, and then its causes.
fn and_causes(mut text: String, error: &(dyn Error + 'static)) -> String {
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            text = format!("{text}: {told}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// An error with a text of its own and a cause.
    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Failure {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    #[test]
    fn each_cause_is_told_once() {
        let cause = |text, source| Some(Box::new(Failure { text, source }));
        let innermost = cause("no route", None);
        let error = cause("connecting: no route", innermost);
        let error = Failure { text: "transport error", source: error };
        assert_eq!(of_error(&error), "transport error: connecting: no route");
    }

    #[test]
    fn a_status_is_told_with_its_causes_and_each_once() {
        assert_eq!(of_status(&Status::unavailable("it stops")), "it stops");
        let silent = Status::unavailable("");
        assert_eq!(of_status(&silent), silent.code().to_string());
        let reset = Failure { text: "reset by peer", source: None };
        let gone = Failure { text: "the connection is gone", source: Some(Box::new(reset)) };
        let gone = Status::from_error(Box::new(gone));
        assert_eq!(of_status(&gone), "the connection is gone: reset by peer");
    }

    /// Over TLS a link to the manual of a library was said in the place of an address.
    #[test]
    fn the_end_of_a_connection_is_told_in_one_way() {
        let of = |kind| of_loss(&Status::from_error(io::Error::from(kind).into()));
        for kind in [
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::ConnectionReset,
            io::ErrorKind::ConnectionAborted,
            io::ErrorKind::UnexpectedEof,
        ] {
            assert_eq!(of(kind), BROKE);
        }
        let tls = "peer closed connection without sending TLS close_notify: https://docs.rs";
        assert_eq!(of_loss(&Status::from_error(tls.into())), BROKE);
        assert_eq!(
            of_loss(&Status::from_error("keep-alive timed out".into())),
            "keep-alive timed out"
        );
        // Who says that is there.
        let said = Status::internal("the disk: broken pipe");
        assert_eq!(of_loss(&said), "the disk: broken pipe");
    }

    #[test]
    fn moments_have_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_795_784_400, "2026-11-27 13:00:00 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(date(seconds).as_deref(), Some(expected));
        }
        assert_eq!(date(u64::MAX), None);
        let text = "no answer after 5 s, time 7x";
        assert!(with_dates(text).contains("7x"));
    }

    #[test]
    fn what_a_panic_said_is_told() {
        let panics: [(Box<dyn Any + Send>, &str); 3] = [
            (Box::new("the table is gone"), "the table is gone"),
            (Box::new(format!("{} tables are gone", 2)), "2 tables are gone"),
            (Box::new(7), "no message"),
        ];
        for (panic, said) in panics {
            assert_eq!(of_panic(panic.as_ref()), said);
        }
    }
}
