//! How far shallow searches are from deep ones.

/// How far the values of shallow searches are from those of deep ones, in discs, for cutting by
/// probability (Multi-ProbCut). Depths are in plies; a depth equal to the number of empty squares is
/// the exact value.
///
/// Mean and logarithm of the spread are linear in the number of empty squares and the depths; exact
/// deep values have factors of their own, since they are no deeper search of the same kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Selectivity {
    /// Factors of the mean of deep less shallow, for [`terms`](Self::terms).
    pub mean: [f64; Self::TERMS],
    /// Factors of the logarithm of the standard deviation, for [`terms`](Self::terms).
    pub log_spread: [f64; Self::TERMS],
    /// How many spreads below its mean a difference is with the probabilities that
    /// [`CONFIDENCES`](Self::CONFIDENCES) leave, as measured: the tails are fatter than a normal
    /// distribution's.
    pub quantiles: [f64; 5],
}

impl Selectivity {
    /// The probabilities, on one side, that [`quantiles`](Self::quantiles) belong to.
    pub const CONFIDENCES: [f64; 5] = [0.73, 0.87, 0.95, 0.98, 0.99];

    /// The number of factors of mean and spread.
    pub const TERMS: usize = 7;

    /// The number of [parameters](Self::parameters).
    pub const PARAMETERS: usize = 2 * Self::TERMS + Self::CONFIDENCES.len();

    /// Returns all numbers in a row: those of the mean, of the spread, and the quantiles.
    #[must_use]
    pub fn parameters(&self) -> [f64; Self::PARAMETERS] {
        let mut numbers = self.mean.iter().chain(&self.log_spread).chain(&self.quantiles);
        std::array::from_fn(|_| *numbers.next().expect("there are as many"))
    }

    /// Returns what [`parameters`](Self::parameters) has put in a row.
    #[must_use]
    pub fn of(parameters: &[f64; Self::PARAMETERS]) -> Self {
        let mut numbers = parameters.iter().copied();
        let mut next = || numbers.next().expect("there are as many");
        Self {
            mean: std::array::from_fn(|_| next()),
            log_spread: std::array::from_fn(|_| next()),
            quantiles: std::array::from_fn(|_| next()),
        }
    }

    /// Returns what mean and spread are linear in: for searches 1, the number of empty squares and
    /// both depths, for exact deep values 1, the number of empty squares and the shallow depth.
    #[must_use]
    pub fn terms(empties: u32, shallow: u32, deep: u32) -> [f64; Self::TERMS] {
        let terms = if deep == empties {
            [0, 0, 0, 0, 1, empties, shallow]
        } else {
            [1, empties, shallow, deep, 0, 0, 0]
        };
        terms.map(f64::from)
    }

    /// Returns the mean of the deep value less the shallow one, in discs.
    #[must_use]
    pub fn mean(&self, empties: u32, shallow: u32, deep: u32) -> f64 {
        product(&self.mean, &Self::terms(empties, shallow, deep))
    }

    /// Returns the standard deviation of the deep value less the shallow one, in discs.
    #[must_use]
    pub fn spread(&self, empties: u32, shallow: u32, deep: u32) -> f64 {
        product(&self.log_spread, &Self::terms(empties, shallow, deep)).exp()
    }
}

fn product(factors: &[f64], terms: &[f64]) -> f64 {
    factors.iter().zip(terms).map(|(factor, term)| factor * term).sum()
}
