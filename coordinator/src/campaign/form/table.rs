//! Lines of numbers between commas.

use std::fmt::Display;
use std::str::FromStr;

use outflank_engine::Score;
use outflank_engine::notation::excerpt;

use super::RowFault;

/// The fields of a line, each with its column.
pub(super) struct Fields<'a, const N: usize>([(usize, &'a str); N]);

impl<'a, const N: usize> Fields<'a, N> {
    /// Splits a line whose form is called `header`.
    pub(super) fn of(line: &'a str, header: &str) -> Result<Self, RowFault> {
        let mut column = 1;
        let fields = line.split(',').map(|text| {
            let at = column;
            column += text.chars().count() + 1;
            (at, text)
        });
        let fields: Vec<_> = fields.collect();
        let found = fields.len();
        let fields = fields.try_into().map_err(|_| {
            RowFault::new(1, format!("found {found} fields, expected {N}: {header}"))
        })?;
        Ok(Self(fields))
    }

    /// Returns a field as it stands, with its column.
    pub(super) fn text(&self, index: usize) -> (usize, &'a str) {
        self.0[index]
    }

    /// Returns a field that is a number from `least` to `most`.
    pub(super) fn number<T>(
        &self,
        index: usize,
        name: &str,
        least: T,
        most: T,
    ) -> Result<T, RowFault>
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let (column, text) = self.0[index];
        let number = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
        number.ok_or_else(|| {
            let found = excerpt(text);
            let reason = format!("found the {name} {found:?}, expected {least} to {most}");
            RowFault::new(column, reason)
        })
    }
}

/// Returns the lowest score that is `discs` or more.
pub(super) fn at_least(discs: i32) -> Score {
    -Score::floor(-discs)
}

/// Returns the highest score that is `discs` or less.
pub(super) fn at_most(discs: i32) -> Score {
    Score::floor(discs)
}
