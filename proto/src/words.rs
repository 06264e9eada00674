//! What went wrong, in words on one line, as logs have it and messages carry it.

use std::any::Any;
use std::error::Error;

use tonic::Status;

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
