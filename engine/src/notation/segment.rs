//! A piece of text that knows where it comes from.

use super::{Fault, NotationError, Place};

/// A part of one line, with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<'a> {
    name: &'a str,
    line: usize,
    column: usize,
    /// The text.
    pub(super) text: &'a str,
}

impl<'a> Segment<'a> {
    /// Returns line number `line` of the text that is called `name`.
    pub(super) const fn line(name: &'a str, line: usize, text: &'a str) -> Self {
        Self { name, line, column: 1, text }
    }

    /// Returns the part between two byte offsets.
    fn part(self, start: usize, end: usize) -> Self {
        let skipped = self.text[..start].chars().count();
        Self { column: self.column + skipped, text: &self.text[start..end], ..self }
    }

    /// Returns the segment without blanks at its ends.
    pub(super) fn trimmed(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start, self.text.trim_end().len().max(start))
    }

    /// Returns what stands before the first of `separators`, or everything.
    pub(super) fn before(self, separators: &[char]) -> Self {
        self.part(0, self.text.find(separators).unwrap_or(self.text.len()))
    }

    /// Returns what stands before and after the first `separator`, or everything and `None`.
    pub(super) fn split_once(self, separator: char) -> (Self, Option<Self>) {
        match self.text.find(separator) {
            Some(at) => {
                let after = self.part(at + separator.len_utf8(), self.text.len());
                (self.part(0, at), Some(after))
            }
            None => (self, None),
        }
    }

    /// Returns the first `characters` characters, and the rest.
    pub(super) fn split_at(self, characters: usize) -> (Self, Self) {
        let at = self.text.char_indices().nth(characters).map_or(self.text.len(), |(at, _)| at);
        (self.part(0, at), self.part(at, self.text.len()))
    }

    /// Returns the characters that are no blanks, each with its number among all characters.
    pub(super) fn marks(self) -> impl Iterator<Item = (usize, char)> {
        self.text.chars().enumerate().filter(|(_, character)| !character.is_whitespace())
    }

    /// Returns the error for `fault` at character number `offset` of the segment.
    pub(super) fn error(self, offset: usize, fault: Fault) -> NotationError {
        let place =
            Place { name: self.name.to_owned(), line: self.line, column: self.column + offset };
        NotationError { place, fault }
    }
}
