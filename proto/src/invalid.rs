//! What is wrong with a message.

use tonic::Status;

/// A field of a message has a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field {field} is {found}, expected {expected}")]
pub struct InvalidField {
    /// The path of the field inside its message, as in `report.children[3].bound`.
    pub field: String,
    /// What the message said.
    pub found: String,
    /// What it may say.
    pub expected: &'static str,
}

impl InvalidField {
    /// Returns the error of the field `field`.
    pub(crate) fn new(field: &str, found: &impl ToString, expected: &'static str) -> Self {
        Self { field: field.to_owned(), found: found.to_string(), expected }
    }

    /// Returns the error with its field placed inside the field `outer`.
    #[must_use]
    pub(crate) fn within(self, outer: &str) -> Self {
        let field = match self.field.as_str() {
            "" => outer.to_owned(),
            inner => format!("{outer}.{inner}"),
        };
        Self { field, ..self }
    }
}

/// The one place where a bad field becomes an answer: `INVALID_ARGUMENT`, with the field's name.
impl From<InvalidField> for Status {
    fn from(error: InvalidField) -> Self {
        Self::invalid_argument(error.to_string())
    }
}

/// Returns the value of a field that must be there.
pub(crate) fn required<T>(
    field: &str,
    value: Option<T>,
    expected: &'static str,
) -> Result<T, InvalidField> {
    value.ok_or_else(|| InvalidField::new(field, &"absent", expected))
}

/// Returns the field's meaning, or the error with the field's name before it.
pub(crate) fn within<T, U>(field: &str, value: T) -> Result<U, InvalidField>
where
    U: TryFrom<T, Error = InvalidField>,
{
    U::try_from(value).map_err(|error| error.within(field))
}

/// Returns the meaning of a message field that must be there.
pub(crate) fn needed<T, U>(
    field: &str,
    value: Option<T>,
    expected: &'static str,
) -> Result<U, InvalidField>
where
    U: TryFrom<T, Error = InvalidField>,
{
    within(field, required(field, value, expected)?)
}

/// Returns the meanings of the entries of a list of at most `limit` entries.
pub(crate) fn list<T, U>(
    field: &str,
    values: Vec<T>,
    limit: usize,
    expected: &'static str,
    meaning: impl Fn(T) -> Result<U, InvalidField>,
) -> Result<Vec<U>, InvalidField> {
    if values.len() > limit {
        return Err(InvalidField::new(field, &format!("{} entries", values.len()), expected));
    }
    let entry =
        |(index, value)| meaning(value).map_err(|error| error.within(&format!("{field}[{index}]")));
    values.into_iter().enumerate().map(entry).collect()
}

/// Returns `number` if it is at most 2^53: room for every honest count, and sums are far from overflowing.
pub(crate) fn count(field: &str, number: u64) -> Result<u64, InvalidField> {
    if number <= 1 << 53 {
        Ok(number)
    } else {
        Err(InvalidField::new(field, &number, "at most 2^53"))
    }
}

/// Returns `number` if it can be an amount: finite, and not below 0.
pub(crate) fn amount(field: &str, number: f64) -> Result<f64, InvalidField> {
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err(InvalidField::new(field, &number, "a number from 0"))
    }
}

/// Returns `text` if it is short enough for a log line, and would neither end it nor steer a terminal.
pub(crate) fn short(field: &str, text: String) -> Result<String, InvalidField> {
    if text.len() > 256 {
        return Err(InvalidField::new(
            field,
            &format!("{} bytes long", text.len()),
            "at most 256 bytes",
        ));
    }
    match text.chars().find(|character| character.is_control()) {
        Some(character) => Err(InvalidField::new(
            field,
            &format!("a text with {character:?}"),
            "no control characters",
        )),
        None => Ok(text),
    }
}
