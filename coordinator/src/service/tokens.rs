//! The tokens that a coordinator knows, each with what it is for.

use std::fmt;
use std::str::FromStr;

use outflank_proto::{InvalidToken, Token};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What the holder of a token may do; `docs/protocol.md` has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Search for the coordinator.
    Worker,
    /// Ask for positions and campaigns, and watch.
    Client,
    /// Everything, what changes or removes the campaigns of others included.
    Admin,
}

impl Role {
    /// All roles.
    const ALL: [Self; 3] = [Self::Worker, Self::Client, Self::Admin];

    const fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Client => "client",
            Self::Admin => "admin",
        }
    }
}

/// The word that stands for it in the file of tokens.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a text has no tokens. It is not repeated: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTokens {
    /// There is nothing but blank lines and comments.
    #[error("there is no token, expected {EXPECTED}")]
    Empty,
    /// A line has more than a role and a token, or less.
    #[error("line {line} has {words} {}, expected {EXPECTED}", if *words == 1 { "word" } else { "words" })]
    Words {
        /// The number of the line, from 1.
        line: usize,
        /// How many words it has.
        words: usize,
    },
    /// A line begins with something else than a role.
    #[error("line {line} does not begin with a role, expected {EXPECTED}")]
    Role {
        /// The number of the line, from 1.
        line: usize,
    },
    /// What follows the role cannot be a token.
    #[error("line {line}: {reason}")]
    Token {
        /// The number of the line, from 1.
        line: usize,
        /// Why not.
        reason: InvalidToken,
    },
    /// A token has two lines, so that its role is not clear.
    #[error("line {line} has the token of line {first}, expected each token once")]
    Repeated {
        /// The number of the line, from 1.
        line: usize,
        /// The line that has it first.
        first: usize,
    },
}

const EXPECTED: &str = "lines of a role (worker, client or admin) and a token of 16 to 4096 visible ASCII \
     characters, or one such token alone, which may do everything";

/// The digest of a token, and the role of whoever shows it.
#[derive(Clone)]
struct Known {
    role: Role,
    digest: [u8; 32],
}

/// The tokens that open a coordinator. Only digests are kept: compared in constant time, they tell
/// neither a token nor its length.
#[derive(Clone)]
pub struct Tokens(Vec<Known>);

impl Tokens {
    /// Returns the role of `token`, or `None` if it is not among these.
    pub(super) fn role(&self, token: &[u8]) -> Option<Role> {
        let shown = digest(token);
        let mut role = None;
        // All are compared, so that the time does not tell which one it is.
        for known in &self.0 {
            if bool::from(known.digest.ct_eq(&shown)) {
                role = Some(known.role);
            }
        }
        role
    }
}

/// One token alone may do everything.
impl From<&Token> for Tokens {
    fn from(token: &Token) -> Self {
        Self(vec![Known { role: Role::Admin, digest: digest(token.as_bytes()) }])
    }
}

/// Reads one token alone, or a role and a token a line; several lines may have the same role. Blank
/// lines and lines that begin with # are left out.
impl FromStr for Tokens {
    type Err = InvalidTokens;

    fn from_str(text: &str) -> Result<Self, InvalidTokens> {
        if let Ok(token) = Token::new(text) {
            return Ok(Self::from(&token));
        }
        let entries = || {
            let lines = text.lines().map(str::trim).enumerate();
            lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
        };
        if let (Some((index, text)), 1) = (entries().next(), entries().count())
            && let Some(reason) = why_no_token_alone(text)
        {
            return Err(InvalidTokens::Token { line: index + 1, reason });
        }
        let mut lines = Vec::new();
        let mut known = Vec::<Known>::new();
        for (index, text) in entries() {
            let line = index + 1;
            let new = entry(line, text)?;
            if let Some(first) = known.iter().position(|known| known.digest == new.digest) {
                return Err(InvalidTokens::Repeated { line, first: lines[first] });
            }
            known.push(new);
            lines.push(line);
        }
        if known.is_empty() { Err(InvalidTokens::Empty) } else { Ok(Self(known)) }
    }
}

/// Returns what is wrong with a line that is the only one and has one word: unless that is a role, it is meant as a token
/// that may do everything.
fn why_no_token_alone(text: &str) -> Option<InvalidToken> {
    let is_role = Role::ALL.iter().any(|role| role.name() == text);
    let is_word = !is_role && !text.contains(char::is_whitespace);
    is_word.then(|| Token::new(text).err()).flatten()
}

/// Reads a role and a token.
fn entry(line: usize, text: &str) -> Result<Known, InvalidTokens> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[role, token] = words.as_slice() else {
        return Err(InvalidTokens::Words { line, words: words.len() });
    };
    let role = Role::ALL.into_iter().find(|known| known.name() == role);
    let role = role.ok_or(InvalidTokens::Role { line })?;
    let token = Token::new(token).map_err(|reason| InvalidTokens::Token { line, reason })?;
    Ok(Known { role, digest: digest(token.as_bytes()) })
}

/// Says how many there are and nothing of what they are.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.0.len())
    }
}

fn digest(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "0123456789abcdef";
    const OTHER: &str = "0123456789abcdeF";

    fn tokens(text: &str) -> Tokens {
        text.parse().expect("tokens")
    }

    #[test]
    fn one_token_alone_may_do_everything() {
        for text in [ONE.to_owned(), format!("  {ONE}\n"), format!("#{ONE}")] {
            let tokens = tokens(&text);
            assert_eq!(tokens.role(text.trim().as_bytes()), Some(Role::Admin));
            assert_eq!(tokens.role(OTHER.as_bytes()), None);
            assert_eq!(format!("{tokens:?}"), "Tokens(1)");
        }
    }

    #[test]
    fn each_line_is_a_role_and_a_token_or_a_remark() {
        let text = format!("# until spring\n\nworker {ONE}\r\n  worker\t{OTHER}\nadmin {ONE}{ONE}");
        let tokens = tokens(&text);
        assert_eq!(tokens.role(ONE.as_bytes()), Some(Role::Worker));
        assert_eq!(tokens.role(OTHER.as_bytes()), Some(Role::Worker));
        assert_eq!(tokens.role(ONE.repeat(2).as_bytes()), Some(Role::Admin));
        assert_eq!(tokens.role(b"worker"), None);
        assert_eq!(tokens.role(b""), None);
    }

    #[test]
    fn a_bad_line_is_named_and_never_repeated() {
        let (first, secret) = (format!("worker {ONE}"), "hunter2hunter2");
        let cases = [
            (String::new(), "there is no token"),
            ("# nothing\n\n".to_owned(), "there is no token"),
            (secret.to_owned(), "line 1: a text of 14 bytes is no token, expected 16 to 4096"),
            (format!("# x\n {secret}\n"), "line 2: a text of 14 bytes is no token"),
            ("worker".to_owned(), "line 1 has 1 word, expected"),
            (format!("# x\n{ONE}"), "line 2 has 1 word, expected"),
            (format!("{first}\n{secret}{secret}"), "line 2 has 1 word, expected"),
            (format!("{first}\nclient {secret} {secret}{secret}"), "line 2 has 3 words"),
            (
                format!("# x\n{first}\n{secret} {secret}{secret}"),
                "line 3 does not begin with a role",
            ),
            (format!("{first}\nWorker {secret}{secret}"), "line 2 does not begin with a role"),
            (format!("{first}\nadmin {secret}"), "line 2: a text of 14 bytes is no token"),
            (format!("{first}\n\nclient {ONE}"), "line 3 has the token of line 1"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Tokens>().expect_err("bad").to_string();
            assert!(error.contains(expected) && error.contains("expected "), "{text:?}: {error}");
            assert!(!error.contains(secret) && !error.contains(ONE), "{error}");
        }
    }

    fn word() -> impl Strategy<Value = String> {
        "[!-~]{16,40}"
    }

    proptest! {
        #[test]
        fn exactly_the_tokens_of_the_lines_are_known_in_their_roles(
            lines in proptest::collection::btree_map(word(), 0_usize..3, 2..8),
            other in word(),
        ) {
            let lines: Vec<_> = lines.iter().map(|(word, &role)| (word, Role::ALL[role])).collect();
            let text: String = lines.iter().map(|(word, role)| format!("{role} {word}\n")).collect();
            let tokens = tokens(&text);
            for &(word, role) in &lines {
                prop_assert_eq!(tokens.role(word.as_bytes()), Some(role));
                prop_assert_eq!(tokens.role(&word.as_bytes()[1..]), None);
            }
            let known = lines.iter().find(|(word, _)| **word == other).map(|&(_, role)| role);
            prop_assert_eq!(tokens.role(other.as_bytes()), known);
        }

        #[test]
        fn no_text_is_repeated_by_its_error(text in "(worker |client |)[A-Z]{6,15}( [A-Z]{20}|)\n?") {
            if let Err(error) = text.parse::<Tokens>() {
                let error = error.to_string();
                for word in text.split_whitespace() {
                    let is_role = Role::ALL.iter().any(|role| role.name() == word);
                    prop_assert!(is_role || !error.contains(word), "{}: {}", text, error);
                }
            }
        }
    }
}
