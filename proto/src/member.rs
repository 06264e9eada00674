//! What workers say to each other that share the search of a job, by way of the coordinator.

use outflank_engine::{Errand, Position, Square};

use crate::domain::square;
use crate::invalid::{InvalidField, count, needed};
use crate::v1;
use crate::v1::from_member::Word as FromWord;
use crate::v1::to_member::Word as ToWord;

/// The most hands that a worker has for one search.
const MOST_HANDS: u32 = 64;

/// What a worker says to the others that share a search with it. A *hand* is one of those of its threads that have others
/// try moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromMember {
    /// The hand with this number wants somebody who does errands.
    Call(u32),
    /// It wants nobody any more.
    Release(u32),
    /// Whoever the hand has is to do this.
    Errand {
        /// The hand.
        hand: u32,
        /// Its number for the errand, greater than that of the one before.
        number: u64,
        /// The errand.
        errand: Errand,
    },
    /// The errand has become pointless.
    Recall {
        /// The hand.
        hand: u32,
        /// Its number for the errand.
        number: u64,
    },
    /// The worker waits for those whom these hands have, bit 0 is hand 0, and does errands for them meanwhile, and for
    /// those who do errands for them; with 0 it does not any more.
    Offer(u64),
    /// An errand is over.
    Answer {
        /// The number that it came with.
        number: u64,
        /// What the move is worth; `None` if nobody has found out.
        value: Option<i32>,
        /// The nodes behind it.
        nodes: u64,
    },
}

/// What a worker hears of the others that share a search with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMember {
    /// So many others do errands.
    Company(u32),
    /// The hand has somebody now, or has not any more.
    Engaged {
        /// The hand.
        hand: u32,
        /// Whether there is somebody.
        is_there: bool,
    },
    /// Do this.
    Errand {
        /// The number with which it is to be answered.
        number: u64,
        /// The errand.
        errand: Errand,
    },
    /// The errand with this number has become pointless.
    Recall(u64),
    /// An errand is over.
    Answer {
        /// The hand that has asked.
        hand: u32,
        /// Its number for the errand.
        number: u64,
        /// What the move is worth; `None` if nobody has found out.
        value: Option<i32>,
    },
}

/// Returns the number of a hand.
fn hand(number: u32) -> Result<u32, InvalidField> {
    if number < MOST_HANDS {
        Ok(number)
    } else {
        Err(InvalidField::new("hand", &number, "a hand from 0 to 63"))
    }
}

/// Returns what a move is worth.
fn value(discs: Option<i32>) -> Result<Option<i32>, InvalidField> {
    match discs {
        Some(discs) if !(-64..=64).contains(&discs) => {
            Err(InvalidField::new("value", &discs, "-64 to 64 discs"))
        }
        known => Ok(known),
    }
}

fn wire(hand: u32, number: u64, errand: &Errand) -> v1::Errand {
    let (alpha, beta) = errand.window();
    v1::Errand {
        hand,
        number,
        position: Some(errand.position().into()),
        square: errand.square().index(),
        alpha,
        beta,
        level: errand.step(),
        estimate: errand.estimate(),
    }
}

fn errand(wire: &v1::Errand) -> Result<Errand, InvalidField> {
    const POSSIBLE: &str =
        "a legal move on the large board, a window and a level that a search asks for";
    let position: Position = needed("position", wire.position, "a position")?;
    let square: Square = square(wire.square).map_err(|error| error.within("square"))?;
    let v1::Errand { alpha, beta, level, estimate, .. } = *wire;
    Errand::new(position, square, (alpha, beta), level, estimate).ok_or_else(|| {
        let found = format!("{square} from {alpha} to {beta}, level {level}, estimate {estimate}");
        InvalidField::new("", &found, POSSIBLE)
    })
}

impl From<FromMember> for FromWord {
    fn from(word: FromMember) -> Self {
        match word {
            FromMember::Call(hand) => Self::Call(v1::Call { hand }),
            FromMember::Release(hand) => Self::Release(v1::Release { hand }),
            FromMember::Errand { hand, number, errand } => {
                Self::Errand(wire(hand, number, &errand))
            }
            FromMember::Recall { hand, number } => Self::Recall(v1::Recall { hand, number }),
            FromMember::Offer(hands) => Self::Offer(v1::Offer { hands }),
            FromMember::Answer { number, value, nodes } => {
                Self::Answer(v1::Answer { hand: 0, number, value, nodes })
            }
        }
    }
}

impl TryFrom<FromWord> for FromMember {
    type Error = InvalidField;

    fn try_from(word: FromWord) -> Result<Self, InvalidField> {
        let of = |word: &'static str| move |error: InvalidField| error.within(word);
        Ok(match word {
            FromWord::Call(wire) => Self::Call(hand(wire.hand).map_err(of("call"))?),
            FromWord::Release(wire) => Self::Release(hand(wire.hand).map_err(of("release"))?),
            FromWord::Errand(wire) => Self::Errand {
                hand: hand(wire.hand).map_err(of("errand"))?,
                number: wire.number,
                errand: errand(&wire).map_err(of("errand"))?,
            },
            FromWord::Recall(wire) => {
                Self::Recall { hand: hand(wire.hand).map_err(of("recall"))?, number: wire.number }
            }
            FromWord::Offer(v1::Offer { hands }) => Self::Offer(hands),
            FromWord::Answer(wire) => Self::Answer {
                number: wire.number,
                value: value(wire.value).map_err(of("answer"))?,
                nodes: count("nodes", wire.nodes).map_err(of("answer"))?,
            },
        })
    }
}

impl From<ToMember> for ToWord {
    fn from(word: ToMember) -> Self {
        match word {
            ToMember::Company(helpers) => Self::Company(v1::Company { helpers }),
            ToMember::Engaged { hand, is_there } => Self::Engaged(v1::Engaged { hand, is_there }),
            ToMember::Errand { number, errand } => Self::Errand(wire(0, number, &errand)),
            ToMember::Recall(number) => Self::Recall(v1::Recall { hand: 0, number }),
            ToMember::Answer { hand, number, value } => {
                Self::Answer(v1::Answer { hand, number, value, nodes: 0 })
            }
        }
    }
}

impl TryFrom<ToWord> for ToMember {
    type Error = InvalidField;

    fn try_from(word: ToWord) -> Result<Self, InvalidField> {
        let of = |word: &'static str| move |error: InvalidField| error.within(word);
        Ok(match word {
            ToWord::Company(v1::Company { helpers }) => Self::Company(helpers),
            ToWord::Engaged(v1::Engaged { hand: number, is_there }) => {
                Self::Engaged { hand: hand(number).map_err(of("engaged"))?, is_there }
            }
            ToWord::Errand(wire) => {
                Self::Errand { number: wire.number, errand: errand(&wire).map_err(of("errand"))? }
            }
            ToWord::Recall(wire) => Self::Recall(wire.number),
            ToWord::Answer(wire) => Self::Answer {
                hand: hand(wire.hand).map_err(of("answer"))?,
                number: wire.number,
                value: value(wire.value).map_err(of("answer"))?,
            },
        })
    }
}
